// Package output writes what steps and groups leave behind, and what the next step reads
// of it: the JSON of the outputs of people, agents and groups, and of the input with
// which an iteration of a loop begins. It also finds the page that an agent looks at, which
// an agent's output shows.
//
// Each shape is a struct whose fields the interpreter fills and whose Encode keeps it within its
// limit: what is too large is shortened from the oldest or the largest part on, never
// refused. Keys that the service writes are never replaced by what somebody sent.
//
// It knows no state and no rules: what is decided, the interpreter says.
package output
