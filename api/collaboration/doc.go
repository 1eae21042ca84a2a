// Package collaboration has the operations on organizations (organizations.go), their
// people (users.go, users_get.go), user groups (groups.go) and what users are granted (permissions.go), folders (folders.go),
// documents (documents.go) and their migrations (migrations.go), and on annotations of
// documents (annotations.go). item.go has the entries of calls about several things,
// listing.go what lists share.
//
// annotation_data.go has an annotation as it is sent and the rules of it,
// annotation_make.go the defaults that need no look-up, annotation_view.go
// annotations and comments as they are read. comments.go adds, changes and deletes
// comments, annotation_change.go annotations.
// examples.go has documented calls and results.
//
// Users, organizations, documents and annotations are sent with keys of the caller's
// own, which are kept as they are (own_keys.go).
//
// The package must not decide who may see or write what: that is in the store, in
// the transaction that reads or changes.
package collaboration
