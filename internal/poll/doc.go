// Package poll has the loop of everything that works when it is notified: it waits
// for a notification, a tick or the end of its context, does its work, and waits again.
//
// A notification is a hint and carries nothing. However many come while the work is
// being done, they cost one more round of it, and one that comes just before the
// wait begins is not lost: a Signal remembers it. What the work is about, the
// worker looks up or keeps itself.
//
// Whoever has to wait for more than that, such as for room or for the end of its
// time, uses the Signal alone in a select of its own.
//
// The package must not know what is done, and it never logs: an error is the
// work's own.
package poll
