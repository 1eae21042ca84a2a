// Package numbering knows the marks that items of lists begin with: bullets, boxes, and the steps by
// which others count, numbers, letters and Roman numbers, each in its own row. Where one may stand
// is for who reads a text; this package only knows what a mark looks like, which place a step has
// in its row, and how a place is written.
//
// A step is not empty and has one kind of characters: digits, or Latin letters of one case.
package numbering
