// Package id is the one maker of generated ids and secret tokens.
//
// A generated id is a prefix and a ULID in lower case, so ids of one kind sort
// by the time they were made. Executions have a form of their own that shows
// the time in the clear. Tokens carry 256 random bits.
package id
