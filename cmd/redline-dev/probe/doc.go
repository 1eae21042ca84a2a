// Package probe waits for servers that are starting: Until repeats a question
// until it is answered, Answers asks by HTTP.
package probe
