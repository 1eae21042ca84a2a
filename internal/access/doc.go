// Package access decides who may read and write a document.
//
// Settings are those of the document, of the folders above it, of its
// organization and the default of its workspace. The setting nearest to the
// document holds, both ways: a public document in a restricted folder is public.
// A grant lets a user in at one of these levels; which grants count depends on
// the type that holds and on where it was set, and the role is that of the
// nearest grant that counts.
//
// Decide is a pure function. The package must not know rows, requests or clocks:
// whoever loads the grants leaves out those that have expired.
package access
