// Package suggest decides what past judgments advise about something new: approve,
// reject or nothing, how sure that is, why, and what to be careful about.
//
// Candidates are judgments that were found near the question in one scope. How like it they
// have to be depends on how many there are: among many, something unrelated is near by
// chance (related in vote.go). What they have in common with those that are unrelated counts
// for nothing (usual.go). Each reviewer gets one vote about each document (vote.go). Votes
// weigh by nearness, age, confidence and whether a human cast them, and the heavier side leads
// (side.go). Its reasonings become the reasons given (reason.go), and whatever weakens the
// advice is said in fixed words (caveat.go).
//
// Adding a vote never works against what it says, as long as the same side leads: one
// that agrees, and is at least as near, sure and new as the side's others, never lowers
// the confidence; one that opposes never raises it. Formulas are written so that
// rounding keeps to that too.
//
// Decide is a pure function: it sees no clock, and the order of its candidates changes
// nothing. The package must not know rows, requests, the index or the embedder.
package suggest
