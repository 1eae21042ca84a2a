// Package search finds chunks and rules of live versions: by meaning, by words, or by both
// (Hybrid), and where neither can be asked the newest ones. It joins what the index gives
// with the rows that are visible in one snapshot, so a version appears and goes in one step.
//
// A search holds a connection with its snapshot while it waits for the index, and one
// connection in slotShare is the most that all of them hold.
//
// SQL is by hand: what is read depends on what the index gives.
//
// Tables: none of its own; those of the package knowledge are read.
//
// It must not write, nor call the embedder: whoever asks gives the vector.
package search
