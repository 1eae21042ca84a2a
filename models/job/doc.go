// Package job holds work that takes longer than an answer and is neither an
// execution nor a delivery. Whoever promises such work queues a job in the
// transaction that makes the promise (Queue), which puts it into the queue of work. The
// worker claims it and starts its run; the run's activity does the work in batches that
// may be repeated, notes how far it is (Progress), and ends the job (End), in the
// transaction with its last change where both must be seen together.
//
// So a job survives whatever happens to processes and to Temporal: its row in the queue
// stays locked while a run works on it, is claimed again when that lock runs out, and is
// removed by its end alone.
//
// A job is open until ended_at; it has failed where it has an error.
//
// A new kind of job is a constant here, its input with whoever queues it, and a
// handler in the activities.
//
// Table: jobs. Locks: the row of a job comes last of all that its transaction locks.
// It must not know what the kinds do.
package job
