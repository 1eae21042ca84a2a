// Package part has what requests and answers of the operations on collaboration share: a
// person (person.go) and a document (document.go) as they are named, the entries of calls
// about several things (item.go) and pages of lists (listing.go).
//
// It must not know an operation or a store.
package part
