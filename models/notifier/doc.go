// Package notifier carries hints from a commit to whoever works on its rows: in this
// process by a call (On), to other processes by NOTIFY (Run sends, Listen hears).
// Its topics are the kinds of the queue, and what has no row there: executions, destinations,
// judgments.
//
// A transaction notes whom it notifies (pg.Tx.Notify) and the hint goes out once after
// its commit. Notifications of many commits share one in 20 ms, because one takes
// a lock of the whole database when it commits; none is sent inside a transaction.
//
// A hint may be lost, late or doubled. So nothing may depend on it: whoever hears
// it looks at the rows, and looks there from time to time anyway.
//
// It has no tables, takes no locks, and must not know rows of anybody: of the
// models it imports models/internal/pg alone.
package notifier
