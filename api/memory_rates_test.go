package api_test

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

// rated are the operations of Memory by what they may be called a minute in these tests,
// with a request that is in order.
var rated = map[int]map[string]map[string]any{
	7: {client.IngestStatus: {"sourceId": "src_none"}},
	6: {client.QueryJudgments: {}},
	5: {
		client.SearchKnowledge: {"query": "machine"}, client.ListSources: {}, client.ListRules: {"sourceId": "src_none"}, client.ReadText: {"sourceId": "src_none"},
		client.SearchJudgments: {"recencyDays": 1}, client.GetPatterns: {}, client.RecordJudgments: kit.Verdict("ann", "approve"), client.DeleteJudgments: {"recordIds": []string{"none"}},
	},
	4: {client.UploadAddress: {"mimeType": kit.PlainText, "fileSize": 5}},
	3: {client.SuggestDecision: {"query": "machine"}, client.GetStats: {}, client.GetProfile: {"targetUserId": "ann"}},
	2: {
		client.Ingest: kit.IngestData("The bell must be rung."), client.UpdateKnowledge: {"sourceId": "src_none", "newContent": "a b c"},
		client.DeleteSource: {"sourceId": "src_none"}, client.RetrySource: {"sourceId": "src_none"}, client.AskQuestion: {"question": "Who rings the bell?"},
	},
}

// untilLimited repeats an operation until its rate is reached, and returns how often it was
// made before.
func untilLimited(env *kit.Env, operation string, data map[string]any) (made int) {
	env.T.Helper()
	for {
		_, err := client.Call[json.RawMessage](env.Ctx, env.Keyed, operation, data)
		failure := redline.AsError(err)
		if failure == nil {
			require.NoError(env.T, err, operation)
		} else if failure.Reason == "rate-limit" {
			require.Equal(env.T, []any{redline.ProblemStatusResourceExhausted, http.StatusTooManyRequests}, []any{failure.Status, failure.HTTPStatus}, operation)
			require.GreaterOrEqual(env.T, failure.RetryAfter, time.Second, operation)
			return made
		}
		made++
	}
}

// Each operation has a rate of its own: at once a minute's worth may be made, and no more
// than is refilled meanwhile. What is refused has changed nothing.
func TestMemory_EachOperationIsCountedByItself(t *testing.T) {
	env := newWorkspaceWith(t,
		"REDLINE_RATE_MEMORY_STATUS_PER_MIN=7", "REDLINE_RATE_MEMORY_QUERY_PER_MIN=6", "REDLINE_RATE_MEMORY_READ_PER_MIN=5",
		"REDLINE_RATE_MEMORY_UPLOAD_PER_MIN=4", "REDLINE_RATE_MEMORY_SUGGEST_PER_MIN=3", "REDLINE_RATE_MEMORY_WRITE_PER_MIN=2")
	made := map[string]int{}
	for rate, operations := range rated {
		for operation, data := range operations {
			began := time.Now()
			made[operation] = untilLimited(env, operation, data)
			require.GreaterOrEqual(t, made[operation], rate, operation)
			require.LessOrEqual(t, float64(made[operation]), float64(rate)*(1+time.Since(began).Minutes())+1, operation)
		}
	}
	for table, operation := range map[string]string{"sources": client.Ingest, "judgments": client.RecordJudgments, "uploads": client.UploadAddress} {
		var rows int
		require.NoError(t, env.DB().QueryRow(t.Context(), `SELECT count(*) FROM `+table+` WHERE workspace_id = $1`, env.Workspace.ID).Scan(&rows))
		require.Equal(t, made[operation], rows, operation)
	}
}
