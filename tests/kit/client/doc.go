// Package client speaks to the service the way any customer's program would: through the published
// client for Go, nothing shared with the server's code.
//
// A Session is one base address with one pair of credentials, API the published client for it. Call
// makes one operation by its name and decodes its result, usually into a type of that client; a refusal
// comes back as its *redline.Error. Send and Do are the same one level lower, for what that client
// would never send: bodies that are wrong on purpose, other methods, other headers; their answer is
// as it came. A Workspace bundles the sessions of both levels and has a method for each operation
// that tests use often.
//
// The package imports none of this module but the client.
package client
