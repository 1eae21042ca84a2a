// Package workspace has the operations on workspaces: creating and reading one
// (workspace.go), its API keys (apikey.go, apikey_list.go) and their tokens (auth_token.go), what
// it has set for itself (settings.go) and how it sends mails (email_settings.go).
// examples.go has the documented results.
//
// Addresses and domains are brought into their normal form here, before a store
// sees them. A creation is counted by the client's address only once its shape is
// right, and is not counted where the fault was the server's.
//
// The package must not look into sealed tokens or passwords, and never answers
// with the password of a mail server.
package workspace
