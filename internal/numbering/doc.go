// Package numbering knows the steps by which marks of lists count: numbers, letters and Roman
// numbers, each in its own row. What a mark is, and where one may stand, is for who reads a
// text; this package only knows which place a step has in its row, and how a place is written.
//
// A step is not empty and has one kind of characters: digits, or Latin letters of one case.
package numbering
