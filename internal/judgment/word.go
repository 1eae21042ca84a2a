package judgment

import "strings"

// The stored words that other spellings lead to.
const (
	Approve    = "approve"
	Reject     = "reject"
	Resolve    = "resolve"
	InProgress = "in_progress"
	Comment    = "comment"
)

// groups are the spellings understood for each stored word.
var groups = map[string][]string{
	Approve: {"approved", "accept", "accepted", "agree", "agreed", "endorse", "endorsed", "document_approved", "pass", "passed"},
	Reject: {
		"rejected", "decline", "declined", "deny", "denied", "disagree", "disagreed", "document_rejected", "fail", "failed",
		"changes_requested",
	},
	Resolve:    {"resolved", "close", "closed", "done"},
	InProgress: {"inprogress", "ongoing", "reopened"},
	Comment:    {"commented", "note"},
}

var stored = invert(groups)

func invert(of map[string][]string) map[string]string {
	words := map[string]string{}
	for word, spellings := range of {
		for _, spelling := range spellings {
			words[spelling] = word
		}
	}
	return words
}

// Word returns the stored form of a decision: lower case, `-` and blanks as `_`,
// and the word of its group where it belongs to one. Other words stay.
func Word(decision string) string {
	word := strings.NewReplacer("-", "_", " ", "_").Replace(strings.ToLower(decision))
	if known, ok := stored[word]; ok {
		return known
	}
	return word
}

// Confidence of a reviewer's decision.
const (
	reasoned   = 0.95
	unreasoned = 0.75
)

// AgentConfidence is how much an agent's resolution of a step counts, 0 to 1.
const AgentConfidence = 0.70

// Confidence is how much a reviewer's decision on a step counts, 0 to 1.
func Confidence(reason string) float64 {
	if strings.TrimSpace(reason) == "" {
		return unreasoned
	}
	return reasoned
}
