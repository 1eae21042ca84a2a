// Package job holds work that takes longer than an answer and is neither an
// execution nor a delivery. Whoever promises such work queues a job in the
// transaction that makes the promise (Queue). The worker claims queued jobs, of
// workspaces in turn, and asks the engine for a run of each; the run's activity does
// the work in batches that may be repeated, notes how far it is (Progress), and ends
// the job (End), in the transaction with its last change where both must be seen
// together.
//
// So a job survives whatever happens to processes and to the engine: one that is
// working is offered to the engine again every half minute until its row has ended.
//
// States: queued, working (it was offered to the engine; started_at says since when a
// run works on it), then completed or failed.
//
// A new kind of job is a constant here, its input with whoever queues it, and a
// handler in the activities.
//
// Table: jobs. Locks: the row of a job comes last of all that its transaction locks.
// It must not know what the kinds do.
package job
