// Package worker is the process that drives: it runs workflows and activities,
// and the relay that turns committed rows into starts and pokes of runs.
//
// Worker.Run keeps one session with the engine at a time. A session makes the
// namespace and the search attributes when they are missing, waits until they
// can be used, and runs a group of pollers for each kind of work: executions with
// the calls of their steps, deliveries, those to slow receivers, ingestions. It ends when
// the namespace is gone or another one of the same name, when a poller has given
// up, or when the engine has been away; then the next session begins with new
// pollers, while what the old one has under way ends by itself. So nobody has to
// restart a process because the engine was emptied or away.
//
// The relay claims executions that are owed a start or poke in batches, sends
// them side by side and clears the marks in batches. It is nudged after
// commits of this process and of others, and looks every second anyway. A
// destination of deliveries that no living activity drives is woken likewise.
// The sweep finds what nobody drives, whatever the cause. Nothing here is
// needed for correctness twice: every start and poke may be lost, late or
// doubled.
//
// A poke is a signal with start. An update with start, accepted once the plan
// was read, was the other choice: with signals the call that follows a decision
// leaves in three quarters of the time that a bare update needs to its activity
// (16 callers, two cores), and a flood of them drains faster.
//
// The package must not know HTTP, and it decides nothing about an execution.
package worker
