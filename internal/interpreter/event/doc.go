// Package event has the shapes of what the events of an execution carry, one struct for the
// data of each kind of event, with its fields in the order in which they are written. Null
// stands where something is not known, and a field is left out where the interface says so.
//
// It also knows which events are kept for readers who ask for them and never delivered. When
// an event is written, and about what, the interpreter decides; what is delivered of one to
// whom is not known here.
package event
