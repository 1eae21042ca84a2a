package kit

import (
	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit/client"
)

// Reassigning returns the data of a request that puts one reviewer in another's place at the step
// of the node review.
func (r *Run) Reassigning(from, to string) map[string]any {
	r.S.T.Helper()
	return r.By("review", map[string]any{"fromReviewerId": from, "toReviewerId": to})
}

// Reassign puts one reviewer in another's place at the node review and returns the reviewers
// afterwards.
func (r *Run) Reassign(from, to string) []redline.Reviewer {
	r.S.T.Helper()
	var answer redline.ReassignResult
	r.S.Call(client.ReassignStep, r.Reassigning(from, to), &answer)
	require.True(r.S.T, answer.Reassigned)
	return answer.Reviewers
}
