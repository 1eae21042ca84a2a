// Package labelled holds labelled sets by which one sees how well suggestions, patterns,
// answers and searches fare with an embedding model: situations with the past judgments of an
// organization and the kind of suggestion that a careful reviewer expects, practices planted
// among noise, questions over a stored body, and questions over files.
//
// The sets are JSON in the folder sets, whose README says how they were written. Load
// reads and checks them. Each item is in one of two halves by its id alone: thresholds are
// tuned on one, and the figures that count come from the other.
//
// Package trial measures with them, and package kept keeps their vectors.
//
// It must not know how suggestions, patterns and answers are made, nor reach rows or the
// index: whoever measures passes the sets to what is measured.
package labelled
