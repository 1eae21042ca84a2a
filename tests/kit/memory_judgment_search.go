package kit

import (
	"maps"
	"time"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit/client"
)

// JudgmentIDs returns the ids of the judgments found, in their order.
func JudgmentIDs(r redline.JudgmentsFound) []string {
	ids := make([]string, len(r.Results))
	for i, found := range r.Results {
		ids[i] = found.RecordID
	}
	return ids
}

// Nearest searches judgments as data asks, by meaning unless it asks for what needs none.
func Nearest(env *Env, query string, data map[string]any, filters ...map[string]any) redline.JudgmentsFound {
	env.T.Helper()
	asked := map[string]any{"query": query}
	maps.Copy(asked, data)
	for _, f := range filters {
		asked["filters"] = f
	}
	var result redline.JudgmentsFound
	env.Call(client.SearchJudgments, asked, &result)
	return result
}

// ByRows searches judgments on a path without vectors.
func ByRows(env *Env, data map[string]any, filters ...map[string]any) redline.JudgmentsFound {
	env.T.Helper()
	result := Nearest(env, "anything", data, filters...)
	for _, found := range result.Results {
		require.InDelta(env.T, 1.0, found.Similarity, 0)
	}
	return result
}

// Ago returns a judgment made so long ago, by its record id.
func Ago(id string, age time.Duration, more ...map[string]any) map[string]any {
	return Verdict("ann", "approve", append(more, map[string]any{"recordId": id, "createdAt": time.Now().Add(-age).UnixMilli()})...)
}

// Recent asks for judgments of the last days.
var Recent = map[string]any{"recencyDays": 30}
