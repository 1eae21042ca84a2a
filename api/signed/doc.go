// Package signed makes the addresses at which files are given out, and finds what they lead to.
//
// An address ends in a token, which says what it gives, until when, and is signed: nothing of it
// is stored. A file is a version of a source, or the export of a person; who has them opens them
// (Versions, Exports). The package knows no rows and no requests of an area.
package signed
