// Package delivery sends what is due to the outside: events to the receivers of
// executions, messages to webhook endpoints, mails to their relays.
//
// A run of the engine has one activity at a time for its destination, the
// dispatcher. It takes the destination's lease, claims due rows, sends them side
// by side and claims again for some seconds, woken in process by the commits that
// queue more; then it gives the lease back and looks once more, so nothing falls
// between two of them. A row that is claimed is held until its attempt must have
// ended; what was not recorded until then is claimed again.
//
// Slots, the order of first attempts and the recorder, which writes outcomes of
// all destinations together, belong to the process and not to an activity:
// requests under way outlive it. Slots are shared fairly among workspaces. An
// endpoint that keeps failing has dispatchers of its own queue, the slow lane,
// which have a quarter of everything.
//
// The package must not decide when a delivery is tried again or given up: an
// attempt has a class, and the rows know what follows from it. It connects through
// the guard alone, and no secret of a receiver is logged.
package delivery
