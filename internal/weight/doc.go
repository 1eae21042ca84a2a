// Package weight counts how many rows a call changes, far below the call: by the statements
// that it runs. What a call weighs follows from that once it is done.
//
// The package must not know statements or limits.
package weight
