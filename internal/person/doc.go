// Package person holds what is known of a user beyond the id: how the initial
// follows from a name, and how a snapshot of a user is written.
//
// It must not know rows, requests or memberships.
package person
