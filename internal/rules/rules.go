package rules

import "crypto/sha256"

// Version counts changes in what is found. It is stored with each version of a
// source.
const Version = 6

// Bounds of rules.
const (
	// MaxRules of one source; the rest is cut.
	MaxRules = 2000
	// MinWords is what a rule has at least.
	MinWords = 3
	// MaxLength is what a rule has at most, in characters.
	MaxLength = 600
)

// Rule is one normative statement.
type Rule struct {
	// Content as it is written, without list mark, numbering and emphasis.
	Content string
	// Category is the nearest heading above; empty where there is none.
	Category string
	// Identity is the same for rules that say the same.
	Identity [sha256.Size]byte
}

// Result are the rules of a text in reading order, each once.
type Result struct {
	Rules []Rule
	// Skipped counts what was too long, or below a lead-in that is repeated no more;
	// Truncated says that there were more than MaxRules.
	Skipped   int
	Truncated bool
}
