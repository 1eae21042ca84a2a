// Package kept is a model that remembers, in a file, the vectors of the texts that it was
// given: a second trial of the same texts takes seconds, whatever the model costs.
//
// There is a file for each identity of a model. A vector is found in it by the SHA-256 of
// the text and what the text is for; the texts themselves are not in the file. What is
// behind an endpoint may change under its name, so the file has the vector of the probe
// sentence too and is forgotten where the model gives another one.
//
// It is for texts that are the program's own, and for one process at a time: of two that
// save, the last one wins. It must not be used for what callers send.
package kept
