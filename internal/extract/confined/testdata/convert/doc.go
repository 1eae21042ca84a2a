// Command convert is the process that the tests of the package confined start: it converts,
// or crashes, hangs or tells its variables, by the type that it is given.
package main
