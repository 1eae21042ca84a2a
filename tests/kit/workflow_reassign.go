package kit

import (
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit/client"
)

type ReviewerView struct {
	UserID    string `json:"userId"`
	Mandatory bool   `json:"mandatory"`
}

// Reassigning is that one person returns way to another at the step of review.
func (r *Run) Reassigning(from, to string) map[string]any {
	r.S.T.Helper()
	return r.By("review", map[string]any{"fromReviewerId": from, "toReviewerId": to})
}

// Reassign returns the reviewers afterwards.
func (r *Run) Reassign(from, to string) []ReviewerView {
	r.S.T.Helper()
	var answer struct {
		Reassigned bool           `json:"reassigned"`
		Reviewers  []ReviewerView `json:"reviewers"`
	}
	r.S.Call(client.ReassignStep, r.Reassigning(from, to), &answer)
	require.True(r.S.T, answer.Reassigned)
	return answer.Reviewers
}
