// Package job is the activity of the Job workflow: it works on one job, in portions
// by the handler of its kind, until there is nothing left to do or its time is over;
// then another try goes on.
//
// A handler's portion is bounded and may be repeated: whoever dies in the middle of
// it leaves rows from which the next try goes on. How far a job is stands in its row. Behind
// each portion a job rests for as long as that took (Rested).
//
// The removal of what was deleted is a handler of this package, since it goes through
// the rows of several: documents with all that belongs to them, then what they were
// in. The migration of a document is one transaction of package directory. The detection
// of patterns looks through one scope of the judgments in a portion; a process looks
// through one at a time, which takes both cores and most memory.
//
// It must not know how any of those rows look.
package job
