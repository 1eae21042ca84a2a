package output

import (
	"encoding/json"

	"github.com/redline-svc/redline/internal/definition"
	"github.com/redline-svc/redline/internal/shape"
)

// Answer is a person of a human step and what this person said; Decision is empty before.
// At is epoch milliseconds.
type Answer struct {
	UserID    string
	Mandatory bool
	Decision  string
	Reason    string
	At        int64
}

// People is what is known of a human step. Status is pending, resolved or rejected; what
// follows it is of a step that is not pending any more, ResumedAt in epoch milliseconds.
type People struct {
	Work      *definition.Human
	Answers   []Answer
	Status    string
	Decision  string
	ResumedAt int64
	ResumeKey string
}

// Pending is the status of a step that waits for more answers.
const Pending = "pending"

// response is one entry of a human step's responses.
type response struct {
	ReviewerID string `json:"reviewerId"`
	Decision   string `json:"decision"`
	Reason     string `json:"reason"`
	At         int64  `json:"at"`
}

// people is the output of a human step, filled from the moment of waiting.
type people struct {
	Reviewers             []definition.Reviewer `json:"reviewers"`
	ReviewerIDs           []string              `json:"reviewerIds"`
	ReviewerEmails        []string              `json:"reviewerEmails"`
	CommentBody           string                `json:"commentBody"`
	AggregatorStatus      string                `json:"aggregatorStatus"`
	ApproveCount          int                   `json:"approveCount"`
	RejectCount           int                   `json:"rejectCount"`
	TotalResponses        int                   `json:"totalResponses"`
	MandatoryCount        int                   `json:"mandatoryCount"`
	MandatoryApproveCount int                   `json:"mandatoryApproveCount"`
	Responses             []response            `json:"responses"`
	Decision              string                `json:"decision,omitempty"`
	Approved              *bool                 `json:"approved,omitempty"`
	ResumedAt             int64                 `json:"resumedAt,omitempty"`
	ResumeKey             string                `json:"resumeKey,omitempty"`
	RejectedBy            string                `json:"rejectedBy,omitempty"`
	RejectorMandatory     *bool                 `json:"rejectorMandatory,omitempty"`
	RejectionReason       string                `json:"rejectionReason,omitempty"`
}

// Encode writes the output. Beyond the limit the oldest reasons are left out: they stay
// in the events.
func (p People) Encode() json.RawMessage {
	out := people{
		ReviewerEmails: append([]string{}, p.Work.ReviewerEmails...), CommentBody: p.Work.CommentBody,
		AggregatorStatus: p.Status, Responses: []response{},
	}
	for _, a := range p.Answers {
		out.count(a)
	}
	if p.Status != Pending {
		approved := p.Decision == string(definition.Approve)
		out.Decision, out.Approved, out.ResumedAt, out.ResumeKey = p.Decision, &approved, p.ResumedAt, p.ResumeKey
	}
	text := shape.Encode(out)
	for i := 0; len(text) > Limit && i < len(out.Responses); i++ {
		out.Responses[i].Reason = ""
		text = shape.Encode(out)
	}
	return text
}

func (p *people) count(a Answer) {
	p.Reviewers = append(p.Reviewers, definition.Reviewer{UserID: a.UserID, Mandatory: a.Mandatory})
	p.ReviewerIDs = append(p.ReviewerIDs, a.UserID)
	if a.Mandatory {
		p.MandatoryCount++
	}
	if a.Decision == "" {
		return
	}
	p.TotalResponses++
	p.Responses = append(p.Responses, response{a.UserID, a.Decision, a.Reason, a.At})
	if a.Decision == string(definition.Reject) {
		mandatory := a.Mandatory
		p.RejectCount++
		p.RejectedBy, p.RejectorMandatory, p.RejectionReason = a.UserID, &mandatory, a.Reason
		return
	}
	p.ApproveCount++
	if a.Mandatory {
		p.MandatoryApproveCount++
	}
}
