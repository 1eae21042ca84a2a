// Package collaboration has the operations on organizations (organizations.go), their
// people (users.go, users_get.go), user groups (groups.go) and what users are granted
// (permissions.go), folders (folders.go), documents (documents.go) and their migrations
// (migrations.go), activities (activities.go), and notifications (notifications.go) with
// what users want to be notified of (preferences.go). Those on annotations of documents are
// in the package annotation, what requests and answers of both share in part.
// examples.go has documented calls and results.
//
// Users, organizations and documents are sent with keys of the caller's own, which are
// kept as they are (own_keys.go).
//
// The package must not decide who may see or write what: that is in the store, in
// the transaction that reads or changes.
package collaboration
