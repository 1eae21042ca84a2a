// Package search finds chunks and rules of live versions: by meaning, by words, or by both
// (Hybrid), and where neither can be asked the newest ones. It joins what the index gives
// with the rows that are visible in one snapshot, so a version appears and goes in one step.
//
// While the index is asked no connection is held: rows are read before, for what to ask, and
// in a snapshot after, for what the hits are. Where a version went live between the two the
// index is asked again. Of one workspace so many searches ask it at once as its share is.
//
// SQL is by hand: what is read depends on what the index gives.
//
// Tables: none of its own; those of the package knowledge are read.
//
// It must not write, nor call the embedder: whoever asks gives the vector.
package search
