// Command generate writes domains.txt from the JSON arrays of names given as
// arguments: lower case, A-labels, sorted, each once.
package main
