// Package judgments measures how soon an act of review is found by its meaning, while
// many are recorded, what the total of a list costs among a million, and how soon a
// suggestion is made among 100,000, and one judgment found among a million. It must not start or stop anything.
package judgments
