// Package worker is the process that drives: it runs workflows and activities,
// and the loops that turn committed rows into starts and signals of runs.
//
// Worker.Run keeps one session with Temporal at a time. A session makes the
// namespace and the search attributes when they are missing, waits until they
// can be used, and runs a group of pollers for each kind of work: executions with
// the calls of their steps, deliveries, ingestions, jobs. It ends when
// the namespace is gone or another one of the same name, when a poller has given
// up, or when Temporal has been away; then the next session begins with new
// pollers, while what the old one has under way ends by itself. So nobody has to
// restart a process because Temporal was emptied or away.
//
// The loop of destinations starts the runs of those that have rows due and no activity
// that dispatches for them. It claims them in their rows, for a second or until an
// activity locks the destination: of all processes that hear of a commit one does so, and
// what was lost on the way is started again. It looks at those that commits name, and
// every second at some more in turn, a bounded number at once.
//
// The rows of the queue are worked on by a loop with a handler for each kind: it claims due
// ones, of workspaces in turn, and has them handled side by side. One that hangs holds back
// the others for a second at most. A loop is notified after commits of this process and of
// others, and of what has come due by itself: one question a second asks for all kinds
// (look.go). Of executions, jobs and versions of sources
// the handler asks Temporal for the run, or signals it. Judgments are worked on in batches
// (loop_batch.go), with or without Temporal, and with a rest behind each: to bring them into the
// index takes more processor time than to answer the decisions that they come from. While handlers fail, whatever they
// are given, which is mostly Temporal's being away, one row at a time is tried. Rows of a few workspaces that always fail hold back
// nobody.
//
// Schedules are written into Temporal: their handler makes,
// changes, pauses or deletes one so that it is as its row says. All of them are queued when
// Temporal has none: its namespace may be new, or was emptied. An instant is kept by
// Temporal, and what it starts is a short run that dispatches. Local times that come
// twice are written out for ten years, because Temporal's calendars get some of them
// wrong.
//
// What nobody drives is found, whatever the cause: of executions by the handler of
// overdue ones, of destinations by findIdleDestinations. So correctness depends on
// no start and no signal: each may be lost, late or doubled.
//
// Every try of an activity is seen by an interceptor: it makes an error of a panic
// and counts the activities that keep failing for the metric of that name.
// FindFailing asks Temporal which these are.
//
// A signal starts the run where there is none. The other choice is an update with start,
// accepted once the plan was read: it spares the commit of the signal and that of
// the task's start, but costs more calls and keeps its sender until the task has
// ended. Both in one process, block by block in turn (two cores, a busy machine,
// a review and the call behind it): one decision at a time, from it to the
// request, p50 21 to 33 ms with signals and 23 to 31 ms with updates; 16 callers,
// 35 and 39 ms of processor time for each decision; 320 decisions at once, 29 and
// 33 ms each. In runs of their own updates were quicker one at a time, 15 to 26 ms
// against 23 to 38. A flood is what fills a machine, and there signals cost less
// and hold no sender: so it is signals.
//
// Runs of executions and the calls of their steps share a queue and a worker, so
// Temporal can give a call to the worker in its answer to the task that asked for it:
// that saves two commits of Temporal and two passes through its queues. With a
// queue and workers for the calls alone a decision cost 60 to 65 ms of processor
// time until its execution had ended, with one for both 53 to 60.
//
// The package must not know HTTP, and it decides nothing about an execution.
package worker
