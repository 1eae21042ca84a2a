// Package corpus is what the benchmarks of the memory bring in and ask: real text,
// faulty and sound files, and the vectors of texts and questions.
//
// Text is made of the comments of Go's standard library and of the packages that the
// service is made of, so that it is there wherever this is built. Vectors that the
// model once made are kept in the user's cache from run to run, by Preload and Keep,
// because the model takes many minutes for them. Questions are vectors that lie between two
// passages; Embedder is the endpoint that knows them, and Farthest is the exact answer
// that the hits of a search are compared with.
//
// The package measures nothing and does not call the service: of its rows it reads and
// writes only the kept vectors.
package corpus
