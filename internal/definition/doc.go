// Package definition reads, checks and compiles workflow definitions.
//
// Parse takes the `data` of a create, update or lint call and gives either a
// Definition or every issue that was found, in the order of the document. It
// works in three passes over one draft:
//
//  1. shape: each object is read strictly, key by key, with the position of
//     every value in the text remembered (shape.Document, and here a file for
//     each kind of thing);
//  2. rules of the graph: edges, groups, loops, over as much of the draft as
//     could be read, so one faulty field hides no other fault (draft.go has
//     their order; rules.go, loops.go, cycles.go, reach.go);
//  3. the executable Graph, its compiled view and the snapshot to store.
//
// Nodes, edges, groups and custom are kept as the caller wrote them, byte for
// byte. Secrets never get into a snapshot: they are handed out beside it.
//
// GraphOf rebuilds the Graph of a stored snapshot for the interpreter. The package
// decides nothing about executions, stores nothing and calls nobody; addresses
// are checked by a function that the caller passes in.
package definition
