// Package vector keeps vectors in Weaviate and finds the nearest ones.
//
// There is a collection for each corpus and generation, and in it a tenant for
// each workspace, so that no query can reach into another workspace. A generation
// holds the vectors of one model; another one is built beside it. An object holds
// its vector, the source and version it belongs to, the name of its row and the stems of
// its words, by which Keywords finds it; all of it can be rebuilt from Postgres. Its id follows from these names, so none is
// there twice.
//
// Weaviate acknowledges a batch before its vectors are in the log of the graph,
// and leaves the vector of an object that it has already alone. So what Insert
// wrote outlives the process only because of the order in which it writes, and a
// try that was broken off is repeated with DeleteVersion first.
//
// A workspace that is released leaves the memory of the index, its files stay: the
// next call about it brings it back, and one that comes while it leaves is made again
// until it has left.
//
// Weaviate serves before it has read its own collections, and then says of each that
// there is none. So whoever removes something believes that it is not there only of an
// index that says that it is ready.
//
// What is visible is not decided here: a caller names the versions that a
// search leaves out, and joins what is found with its rows.
//
// The index is HNSW over the cosine, without quantisation; a filter that leaves
// up to 40,000 objects, as that of one source always does, is answered by an
// exact scan. Searches and batches go to the index's gRPC port, where a vector is
// bytes and not text; all else goes to its HTTP port. Errors are *fault.Error: UNAVAILABLE when the index does not
// answer or its collection or tenant is gone.
package vector
