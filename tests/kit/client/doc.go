// Package client speaks to the service the way any customer's program would:
// JSON over HTTP, credentials in headers, nothing shared with the server's code.
//
// A Session is one base address with one pair of credentials. Call sends one
// operation and decodes its result; an error answer comes back as *Failure with
// everything that stands in the envelope and the headers. Send is the same one level
// lower, for bodies that are wrong on purpose. A Workspace bundles the sessions
// of both levels and has a method for each operation that tests use often.
//
// The structs are the published views, written a second time here by hand: if
// the server renames a field, a test fails. Views keep their raw JSON where
// numbers have to stay exact.
//
// The package must not import any other package of this module.
package client
