// Package receiving is the https receiver of the benchmarks: it answers at once and keeps
// nothing but the times at which requests came.
//
// Requests are distinguished by the event or message id of their header, or by the
// executionId of their body where they call /call. The times of first requests are
// what rows are made of: how long after something the request of an id came, and how
// many distinct ones came a second.
//
// Both sides of a row send to the same kind of receiver, so it must do as little as
// it can: it keeps no bodies and checks no signatures.
package receiving
