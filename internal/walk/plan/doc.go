// Package plan says what the engine has to drive of an execution: plan.Of a state at a
// moment, and when the engine is wanted first. It only reads; what the state is, the
// walk decides. The text for people at the engine's UI is part of a plan.
package plan
