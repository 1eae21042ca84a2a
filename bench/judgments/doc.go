// Package judgments measures how soon an act of review is found by its meaning, while
// many are recorded, and what the total of a list costs among a million. It must not start
// or stop anything.
package judgments
