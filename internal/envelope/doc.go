// Package envelope is what the endpoints of a workspace get: the list of
// event types, the body of a message, and how a workspace wants its bodies
// (without personal data, encoded, encrypted). It is pure but for the random
// bytes of encryption: no clock, no connection, no rows.
//
// A body is made once, in the transaction of the change, and kept; whoever
// sends it sends those bytes.
//
// Data is handled as JSON text, so numbers and the order of names stay as they
// were given. What remains where personal data is left out, or where a body is
// too large, is said by one tree of names (tree.go): what is not in it goes.
package envelope
