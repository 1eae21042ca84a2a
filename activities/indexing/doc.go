// Package indexing brings one version of a source into one generation of the
// vector index: it makes the vectors that are missing and writes the objects.
// Ingestions do so with the generation that serves, the operator's tool with one
// that is being built.
//
// What has a vector is not embedded again, and after the writing the index must
// have as many objects as there are rows. Versions that
// want the model have it in turn by workspace, some texts at a time.
//
// The package must not decide which generation that is, nor when it serves.
package indexing
