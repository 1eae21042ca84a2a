// Package queue is the one queue of work: what a commit leaves to do for a worker is a
// row of the table work. Its kinds are executions to be started or signalled, executions that
// nobody drives, jobs, judgments that the index is to have or to lose, workspaces whose patterns are
// to be looked for, versions of sources and schedules; deliveries are claimed in a table of their own.
//
// A row has a kind and a key, which names what is to be worked on: there is one row for
// both. The transaction that leaves something to do calls Put. What it puts is collected
// and written once at its end, sorted, so two transactions cannot wait for each other in
// a circle (one that also removes writes that first; then a lock of its own has to keep others
// from the same keys). Whoever works on the kind is notified after the commit. Where the row is
// there already it gets another revision and keeps the earlier time, or moves to the new one
// where the row of a kind is but a timer (Rule.Moves).
//
// A worker claims due rows (Queue.Claim) and works on them under a lock that runs out, so
// a process that dies loses nothing. Then it removes the row (Done), or puts it off: because
// something fails (Retry), or because it cannot be worked on yet (PutOff).
// Where a row was put again meanwhile its revision differs: then all of these leave it,
// unlocked, to be claimed at once. Revisions come from a sequence and never come twice, so
// who was slow cannot end what somebody else has put since. Work that goes on elsewhere
// keeps its row locked (Extend) until the transaction of its end removes it (Remove). Remove
// also ends what nobody needs to do any more, claimed or not.
//
//	State    ready, run_at           locked_until   Brought about by
//	later    false, ahead            any            Put with a time, Retry, PutOff
//	due      true                    past           Put, Claim as its time has come, Done, Retry or PutOff of an older revision
//	locked   true                    ahead          Claim, Extend; it ends by itself
//	(none)                                          Done, Remove
//
// Claims are fair, for every kind by one statement. group_key is whose turn it is: the
// workspace, as a rule. Groups with something due are claimed from in
// turn, an equal share each, so one with 100,000 due rows delays the first row of another
// by one claim at most. Of a group only the first rows in the order of their times may be
// locked, as many as the kind lets one have under way; so it has places and no more, and a
// claim reads that many rows of it and not what waits behind them. A claim walks over the
// groups that have something ready: the flag keeps out what is due later, which is the
// normal case.
//
// Nothing is claimed of a workspace that an operator has stopped: its rows stay as they are, and
// wait. Whoever claims looks at the row of the workspace, so that to stop it and to let it go on is
// one change of that row. A row that names no workspace goes on in any case: by such a one a
// deleted workspace is removed.
//
// locked_until stands in no index and rows leave room on their page, so that a claim changes
// no index. Times are those of Postgres. statement_timestamp() and not clock_timestamp(): a
// volatile function is no condition of an index.
//
// Tables: work; it reads workspaces. All of it is SQL by hand: rows are written, claimed and removed by sets. A transaction locks rows of work last. The package must not know what the
// kinds do.
package queue
