// Package reindex is the operator's work on the vector index, for `redline admin
// index`: it builds the index again beside the one that serves, from the stored
// vectors or by the configured model, and compares the index with the rows.
//
// A job may be broken off and begun again: what has been copied stays. It runs
// beside the service, and the rows see to it that there is one at a time.
//
// Nothing of the service may use it, and it must not know Temporal.
package reindex
