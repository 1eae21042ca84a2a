// Package collaboration has the operations on the people of organizations
// (users.go, item.go), on what they are granted (permissions.go), on folders
// (folders.go) and on annotations of documents (annotations.go).
// annotation_data.go has an annotation as it is sent and the rules of it,
// annotation_make.go the defaults that need no look-up, annotation_view.go an
// annotation as the older interface reads it. examples.go has documented calls
// and results.
//
// Users and annotations are sent with keys of the caller's own, which are kept as
// they are.
//
// The package must not decide who may see or write what: that is in the store, in
// the transaction that reads or changes.
package collaboration
