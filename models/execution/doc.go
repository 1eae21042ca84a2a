// Package execution holds the executions of definitions with their steps and
// events, and is the only one that lets an execution take its course. How callers read
// them is the package view's.
//
// Its tables are executions, deleted_executions, steps, step_reviewers, events and callback_tokens. A token
// is sent with the call of a step and opens this step alone, while it lives and until a day
// after its time is over (callback.go); only its hash is kept. Deliveries and
// messages are delivery's, mails are mail's and judgments are judgment's: they are
// written by functions of these packages in the same transaction.
//
// Dispatch accepts an execution (dispatch.go). From then on every change is a command (commands.go) that goes through advance
// (advance.go), the one door: it locks the row, reads the state (state.go, load.go),
// gives the command to the interpreter (internal/interpreter), and writes what the interpreter changed
// (store.go) and what that causes (consequences.go, reviewer_mails.go). All reads
// under the lock go in one batch, and so do all writes; reads between them are made only
// for messages to endpoints, mails to reviewers, and a graph or destination that is not
// in memory yet. A redelivery takes
// the same lock, but changes no state.
//
// An execution that has ended may be deleted (delete.go): its row goes at once, so that nobody finds
// it, and what it leaves is removed in batches by a job. Its key and signature stay in
// deleted_executions, so a dispatch that comes again is answered as ever.
//
// What Temporal has to hear is a row of the queue, and so is when nobody drives an
// execution; queued.go has the table of both. Who works on them reads what to start or signal
// from the row of the execution (run.go).
//
// A retry reopens an execution that had ended, so it takes the lock of the definition
// first, as a dispatch does: one that is deleted has no live executions.
//
// Statements are SQL by hand, but for single rows outside of a command: those of a
// command are queued on its two batches, and a resync reads many rows at once.
//
// Locks are taken in this order: the definition (by a dispatch), the execution, its
// steps, then messages and deliveries, and at the end its rows of the queue. Times are those of Postgres, taken after the
// lock.
//
// The package never calls Temporal or an address, and decides nothing of its own
// about a step: that is the interpreter's.
package execution
