// Package judgments measures how soon an act of review is found by its meaning, while
// many are recorded. It must not start or stop anything.
package judgments
