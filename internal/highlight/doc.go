// Package highlight says which parts of a text a reader should look at first, given what
// was asked: the sentence that is nearest to the question, and words elsewhere that share a
// stem with it.
//
// The nearest sentence is the one that shares the most stems with the question. To embed the
// sentences of all texts of an answer would be nearer to what is meant, but takes the model
// longer than the whole search takes. So a text that shares no word with the question has no
// highlight, unless it is a single sentence: nothing is better than a guess.
//
// Reading takes time by the length of the text. The largest answer, 50 texts of 8 KiB, takes 0.15 s
// of the processor, so it ends without being asked to.
//
// Positions are UTF-16 code units, as JavaScript counts. It is a pure function, and must not
// know where texts come from.
package highlight
