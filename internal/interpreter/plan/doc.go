// Package plan says what Temporal has to drive of an execution: plan.Of a state at a
// moment, and when Temporal is wanted first. It only reads; what the state is, the
// interpreter decides. The text for people at Temporal's UI is part of a plan.
package plan
