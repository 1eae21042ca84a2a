package output

import (
	"encoding/json"

	"github.com/redline-svc/redline/internal/shape"
)

// Entry is the input of the step with which an iteration of a loop begins.
type Entry struct {
	Iteration        int       `json:"iteration"`
	LoopID           string    `json:"loopId"`
	PreviousAttempts []Attempt `json:"previousAttempts"`
}

// Attempt is one iteration that was sent back. AuthorOutput is the output of the step or
// group that ended it; RejectedAt is epoch milliseconds.
type Attempt struct {
	Iteration         int             `json:"iteration"`
	AuthorOutput      json.RawMessage `json:"authorOutput"`
	RejectedBy        string          `json:"rejectedBy"`
	RejectorMandatory bool            `json:"rejectorMandatory"`
	RejectionReason   string          `json:"rejectionReason"`
	RejectedAt        int64           `json:"rejectedAt"`
}

// Next continues the list that an earlier entry, nil for none, was given: it is the input
// of the iteration after the one that was sent back.
func Next(before json.RawMessage, loopID string, sentBack Attempt) Entry {
	var in Entry
	_ = json.Unmarshal(before, &in) // written by Encode
	return Entry{sentBack.Iteration + 1, loopID, append(in.PreviousAttempts, sentBack)}
}

// Encode writes the input; beyond the limit the oldest outputs become null.
func (in Entry) Encode() json.RawMessage {
	out := shape.Encode(in)
	for i := 0; len(out) > InputLimit && i < len(in.PreviousAttempts); i++ {
		in.PreviousAttempts[i].AuthorOutput = nil
		out = shape.Encode(in)
	}
	return out
}
