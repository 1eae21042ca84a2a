// Package annotation has the operations on annotations of documents (annotations.go,
// find.go, update.go, change.go for deletions) and on their comments (comments.go).
//
// data.go has an annotation as it is sent and the rules of it, make.go the defaults that
// need no look-up, view.go and whole.go annotations and comments as they are read.
// verify.go asks a workspace's permission provider about authors. examples.go has
// documented calls and results.
//
// The package must not decide who may see or write what: that is in the store, in
// the transaction that reads or changes, or said by the provider.
package annotation
