// Package shown has the form in which annotations and comments, and what happens to them,
// are told to endpoints. It is written by models/annotation, which knows how they stand.
//
// It must not read or write rows, and decides nothing about who is told.
package shown
