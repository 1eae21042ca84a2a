// Package collaboration has the operations on organizations (organizations.go), their
// people (users.go, users_get.go), user groups (groups.go) and what users are granted
// (permissions.go), folders (folders.go), documents (documents.go) and their migrations
// (migrations.go), annotations of documents (annotations.go, annotation_find.go,
// annotation_update.go, annotation_delete.go) and their comments (comments.go), activities
// (activities.go), and notifications (notifications.go) with what users want to be notified
// of (preferences.go).
//
// annotation_data.go has an annotation as it is sent and the rules of it, annotation_make.go
// the defaults that need no look-up, annotation_view.go and annotation_whole.go annotations
// and comments as they are read. verify.go asks a workspace's permission provider about
// authors. What requests and answers share is a person (person.go) and a document
// (document_data.go) as they are named, the entries of calls about several things (item.go)
// and pages of lists (listing.go). examples.go, annotation_examples.go and their siblings
// have documented calls and results.
//
// Users, organizations and documents are sent with keys of the caller's own, which are
// kept as they are (own_keys.go).
//
// The package must not decide who may see or write what: that is in the store, in
// the transaction that reads or changes, or said by the provider.
package collaboration
