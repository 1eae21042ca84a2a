// Package activities and those below it hold the side effects that workflows ask
// for. This one has what all of them share: the error to Temporal, the
// heartbeat, the clock, the end of the worker. Each capability is a package:
//
//	execution     asks for the plan of an execution and makes the calls of its steps
//	delivery      claims due deliveries, sends them and records what became of them
//	mailer        hands a mail over to its relay
//	ingestion     carries out the stages of a version of a source
//	job           works on a job: migrates a document, removes what was deleted
//	indexing      brings a version into the index; also of use to the operator
//	activitytest  a database that several workers with clocks of their own share
//
// An activity is tried again by Temporal whenever its process died, so each
// one begins by asking the rows what there is to do, and its result is what the
// rows say afterwards. What fails on the outside is an outcome for the rows and
// not an error of the activity.
//
// A cancelled context does not mean stop: the SDK cancels it when heartbeats
// fail, which they also do while Temporal is away. Calls and commits run on a
// context without cancellation and with a limit of their own.
//
// Errors go to Temporal through Error only: a sentence and the status, never a
// cause, because histories are read by people and secrets must not be in them.
// The same holds for a panic, which the worker makes an error by Panicked; the
// activities of an execution give the plan instead where the rows have ended it.
// Activities must not know HTTP, the workflows that call them or the worker that
// registers them, and the packages of capabilities must not know each other, but
// for what the list says: ingestion uses indexing, and mailer answers delivery.
package activities
