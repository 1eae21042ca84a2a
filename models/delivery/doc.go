// Package delivery is deliveries: what waits for whom, who sends it, what
// became of it. It serves events to receivers of executions, messages to endpoints
// and mails to relays; how these differ stands in policy.go.
//
// A commit that has something to say calls Publish (or FanOut and Queue where it
// gathers its writes in a batch), EnqueueDeliveries or EnqueueMails on its own
// transaction. A delivery waits at a destination: an endpoint, the mails of a
// workspace, or one of 16 for its receivers. One owner at a time claims from it:
// LockDestination, then Claim, Record, ExtendLock, then UnlockDestination and State. How much of an
// origin is claimed at once its caller knows; the pace of endpoints and mails is kept here.
//
// The states of a delivery, and who changes them:
//
//	(new)     -> pending    EnqueueDeliveries, EnqueueMails, enqueueMessages; fanOut, by a job, of a
//	                        change that has too many
//	pending   -> sending    claim.sql: due, covered by no cancellation, by who has locked the destination
//	pending   -> dead       endCancelled: closed, switched off, or by an operator
//	sending   -> pending    recordRows: failed with attempts left, or interrupted: of a lock
//	                        that ran out a claim says that the process died; a mail that waits
//	                        for the operator's relay
//	sending   -> delivered  recordRows: answered well, or handed to the relay
//	sending   -> refused    recordRows: its address may not be called
//	sending   -> dead       recordRows: failed for the last time
//	any ended -> pending    requeue, queueAgain: asked for again, with a new schedule
//
// The simple receiver of a workspace (simple.go) is an endpoint that no list and no quota has, with a switch of
// its own beside that of webhooks. It is told of comments alone, in a body that is made of the stored message; where bodies
// are encrypted, that is made and kept with the change, since nothing can be made of one later.
//
// What is recovered for an endpoint waits under an origin of its own, behind all else
// that waits for the endpoint (missed.go), so it holds up nothing new.
//
// What is old goes in batches, oldest first (expire.go); a message and its
// body stay while one of their deliveries is pending or sending.
//
// An outcome counts only for the attempt that is under way, so one that comes late
// or twice changes nothing. What an operator cancels, or what is requeued, while
// it is sending stays so: the round decides what its outcome brings. moveWaiting
// takes pending and sending rows to another destination.
//
// A delivery that has not ended has a row in open_deliveries, which says where and
// when it is tried next and is removed when it ends. All indexes by which work is
// found are there, on small rows; of deliveries nothing that changes is indexed, so
// its updates write no index, nor does a claim: no index has how long a row is locked.
//
// Tables: messages, message_bodies, deliveries, open_deliveries, attempts,
// destinations, endpoints, endpoint_secrets,
// webhook_settings, recoveries.
//
// Locks, in this order: what changed (an execution, the settings of mails or webhooks,
// a recovery, an endpoint), destinations by id, open deliveries by id, deliveries,
// mails; whoever records attempts locks their endpoints last. An update
// of an endpoint, a rotation or a deletion locks it FOR UPDATE, a test of it or a look at
// its secret FOR KEY SHARE, noteHealth FOR NO KEY UPDATE. Claims and
// batches that end rows lock the destination and pass over rows that are locked. A
// delivery is changed only by who holds its open row, or makes it.
//
// It must not decide what a mail says: its owner gives MailRows to New. It must not send
// anything.
package delivery
