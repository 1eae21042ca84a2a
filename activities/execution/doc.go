// Package execution has the activities of the Execution workflow: Plan asks the
// rows what is to be driven, Call makes the call of one step. Fire, of the Scheduled
// workflow, dispatches for one instant of a schedule.
//
// A call begins in the rows, which number it and hold the step, is made outside
// of any transaction, and ends in the rows, whose answer is the next plan. An
// outcome is offered until the rows take it or the hold has ended; then whoever
// asks next begins the call again.
//
// Callers makes the call by whoever calls for the type of node: webhook.go for webhook
// nodes, agent.go for agents, whose address and secrets are those of the moment,
// notification.go for notifications. Mails of a step are one call together; whom it
// reached is known to the next one, so nobody is mailed twice (notification_mails.go).
//
// Calls to an origin that has never answered one with a 2xx begin five times a second at most, and one whose turn
// does not come within its limit has got no answer in time (internal/guard).
//
// The package must not know what follows from an outcome: that is the interpreter's.
package execution
