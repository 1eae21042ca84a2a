// Package execution holds executions, their steps, reviewers and events. advance is
// the only way in which one takes its course: it locks the row, runs the pure walk
// (internal/walk), stores what the walk says with its events, deliveries, mails
// and judgments, and gives the plan: what the engine has to drive now. Two round
// trips in all, by hand-written SQL (pg.TwoTrips). Plan with nothing to apply is
// one statement without a lock.
//
// A row is its own outbox. poke_due is the revision that the engine has to hear
// of, poke_at when it may be claimed; both are null or neither. Who changes them:
//
//	(none)    -> due      insertExecution: a new one wants its run; owe: a caller's change
//	                      drives; markDue: the engine took no result of an activity;
//	                      sweepOverdue: a minute late and nothing drives it
//	(none)    -> later    owe: only the text for people changed, so in 10 s, one for many
//	later     -> due      time; owe: a change that drives
//	(none)    -> claimed  reserve: the relay of this process has room, the commit claims
//	due       -> claimed  claimPokes: by a relay, for 15 s
//	claimed   -> due      time: the relay died; releasePokes: refused, in 250 ms;
//	                      owe: a later change drives
//	any       -> (none)   ackPokes: the engine heard of this very revision;
//	                      owe: the run itself asks, or it ended before any run
//
// ackPokes and the first question of a run set run_started. drive_due is when the
// sweep would miss the engine; store writes it with every change of the walk.
//
// Tables: executions, steps, step_reviewers, events.
//
// Locks, in this order: the definition's row (a dispatch), the execution's row,
// its steps and reviewers, then destinations, deliveries and mails. One advance of
// an execution at a time takes a connection of this process; claims and the sweep
// pass over locked rows.
//
// It must not change an execution's course but through advance, call anything
// outside, or trust the engine with something that no row holds.
package execution
