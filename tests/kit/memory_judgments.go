package kit

import (
	"fmt"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit/client"
)

// Judgments returns the page of judgments/query that data asks for; nil asks for the first.
func Judgments(env *Env, data map[string]any) redline.JudgmentList {
	env.T.Helper()
	var page redline.JudgmentList
	if data == nil {
		data = map[string]any{}
	}
	env.Call(client.QueryJudgments, data, &page)
	return page
}

// Reviewed starts an execution in which ann decides at the node review, and records her decision.
func Reviewed(env *Env, definitionID, decision, reason string, change ...func(*redline.DispatchRequest)) *Run {
	env.T.Helper()
	r := Dispatch(env, definitionID, change...)
	step := r.WaitsAt("review")
	env.Call(client.RecordDecision, map[string]any{
		"executionId": r.ID, "stepId": step.StepID, "reviewerId": "ann", "decision": decision, "reason": reason,
	}, nil)
	return r
}

// At scopes a dispatch to an organization and a document.
func At(organizationID, documentID string) func(*redline.DispatchRequest) {
	return func(d *redline.DispatchRequest) {
		d.OrganizationID, d.DocumentID = client.Given(organizationID), client.Given(documentID)
	}
}

// ManyWritten returns comments, each a millisecond after the one before.
func ManyWritten(count int) []map[string]any {
	all := make([]map[string]any, count)
	for i := range all {
		all[i] = Wrote("ann", fmt.Sprint("comment ", i), map[string]any{"createdAt": 1_700_000_000_000 + i})
	}
	return all
}
