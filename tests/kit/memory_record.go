package kit

import (
	"maps"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit/client"
)

// Verdict returns what is needed of a judgment, with more fields.
func Verdict(userID, decision string, more ...map[string]any) map[string]any {
	data := map[string]any{"decision": decision, "actionUser": map[string]any{"userId": userID}}
	for _, fields := range more {
		maps.Copy(data, fields)
	}
	return data
}

// Listed returns the data of a request that records several judgments.
func Listed(all ...map[string]any) map[string]any { return map[string]any{"judgments": all} }

// Record records one judgment, or several of Listed, and returns what became of each.
func Record(env *Env, data map[string]any) []redline.RecordedJudgment {
	env.T.Helper()
	var result redline.JudgmentsRecorded
	env.Call(client.RecordJudgments, data, &result)
	return result.Results
}

// Forget deletes judgments and returns which of them were there.
func Forget(env *Env, ids ...string) map[string]bool {
	env.T.Helper()
	var result redline.JudgmentsDeleted
	env.Call(client.DeleteJudgments, map[string]any{"recordIds": ids}, &result)
	there := map[string]bool{}
	for id, became := range result.Results {
		require.NotEmpty(env.T, became.Message)
		there[id] = became.Success
	}
	return there
}
