// Package interpreter lets an execution take its course over the compiled graph of a
// definition. It is the pure core of the workflows.
//
//	w := interpreter.New(graph, state, now)
//	reply, err := w.Decide(interpreter.Decision{...})
//	change := w.Change()
//
// State and one answer go in; the next state, the events and the live steps
// come out. It knows no database, no Temporal, no clock and no random source: the
// caller passes the time, in milliseconds, and gives events their ids. Whoever
// decides runs it inside the transaction that stores what it says, under the
// execution's lock, so of two answers the first committed holds.
//
// An answer that comes late, twice or for a step that has ended changes
// nothing. Every live step that Temporal has to drive has a time at which it
// is due. Order of what one answer causes: the step's own event, its group,
// cancellations, its loop, new steps in the order of the definition's edges (a
// step that ends at once is followed by its own row of these before the next new
// step), the execution.
//
// Of a paused execution nothing starts and no time runs; answers are taken all the
// same (pause.go). An operator may end a step by hand (cancel.go, override.go), which
// goes on from there like any end, and put one reviewer in the place of another
// (reassign.go). A failed execution may go on in a next attempt, in which new steps
// stand for those that the failure left open (retry.go). They are all there: what else
// the answer leads to by which it failed becomes steps that never start.
//
// An agent's step waits once its call was taken, until a resolution settles it or its
// time is over. One that comes while the call is under way is kept, and shows that the
// agent took the step however the call ended. Of a blocking agent whose answer was lost
// so, any response counts, and as many may be wanting as it could have announced.
//
// A node runs once per iteration and attempt, started by the first incoming
// edge that fires; nodes outside loops have iteration 1. A type of node is a file
// and its line in kinds.go. A group counts the latest step of each member in the
// iteration that its members are in (group.go); what follows when it is decided
// stands in group_route.go. A rejection that counts takes the loop of its source
// back (loop.go). Deadlines take effect when the run asks (deadline.go).
//
// What steps and groups leave behind as JSON, and within which limits, is written by
// output, what events carry has its shapes in event; which word of an agent settles its
// step is found by resolution; what Temporal has to drive of a state is said by plan.
//
// A second interpreter, naive_test.go, is written from the same rules and shares no
// code with this one; random flows and answers have to take the same course in both.
package interpreter
