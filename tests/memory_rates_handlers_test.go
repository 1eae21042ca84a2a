package tests

import (
	"encoding/json"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
)

// uploadAddress is the operation that gives an address to upload to.
const uploadAddress = "memory/knowledge/upload-url"

// rated are the operations of Memory by what they may be called a minute in these stories,
// with a request that is in order.
var rated = map[int]map[string]map[string]any{
	7: {"memory/knowledge/ingest-status": {"sourceId": "src_none"}},
	6: {queryJudgments: {}},
	5: {
		"memory/knowledge/search": {"query": "machine"}, listSources: {}, listRules: {"sourceId": "src_none"}, readText: {"sourceId": "src_none"},
		searchJudgments: {"recencyDays": 1}, getPatterns: {}, recordJudgments: verdict("ann", "approve"), deleteJudgments: {"recordIds": []string{"none"}},
	},
	4: {uploadAddress: {"mimeType": plainText, "fileSize": 5}},
	3: {suggestDecision: {"query": "machine"}, getStats: {}, getProfile: {"targetUserId": "ann"}},
	2: {
		"memory/knowledge/ingest": ingestData("The bell must be rung."), updateKnowledge: {"sourceId": "src_none", "newContent": "a b c"},
		deleteSource: {"sourceId": "src_none"}, retrySource: {"sourceId": "src_none"}, askQuestion: {"question": "Who rings the bell?"},
	},
}

// untilLimited repeats an operation until its rate is reached, and gives how often it was
// made before.
func (s *scene) untilLimited(operation string, data map[string]any) (made int) {
	s.t.Helper()
	for {
		_, err := client.Call[json.RawMessage](s.ctx, s.keyed, operation, data)
		failure := client.Refusal(err)
		if failure == nil {
			require.NoError(s.t, err, operation)
		} else if failure.Reason == "rate-limit" {
			require.Equal(s.t, []any{"RESOURCE_EXHAUSTED", http.StatusTooManyRequests}, []any{failure.Status, failure.HTTP}, operation)
			wait, err := strconv.Atoi(failure.Header.Get("retry-after"))
			require.NoError(s.t, err, operation)
			require.GreaterOrEqual(s.t, wait, 1, operation)
			return made
		}
		made++
	}
}

// Each operation has a rate of its own: at once a minute's worth may be made, and no more
// than is refilled meanwhile. What is refused has changed nothing.
func TestMemory_EachOperationIsCountedByItself(t *testing.T) {
	s := beginWith(t,
		"REDLINE_RATE_MEMORY_STATUS_PER_MIN=7", "REDLINE_RATE_MEMORY_QUERY_PER_MIN=6", "REDLINE_RATE_MEMORY_READ_PER_MIN=5",
		"REDLINE_RATE_MEMORY_UPLOAD_PER_MIN=4", "REDLINE_RATE_MEMORY_SUGGEST_PER_MIN=3", "REDLINE_RATE_MEMORY_WRITE_PER_MIN=2")
	made := map[string]int{}
	for rate, operations := range rated {
		for operation, data := range operations {
			began := time.Now()
			made[operation] = s.untilLimited(operation, data)
			require.GreaterOrEqual(t, made[operation], rate, operation)
			require.LessOrEqual(t, float64(made[operation]), float64(rate)*(1+time.Since(began).Minutes())+1, operation)
		}
	}
	for table, operation := range map[string]string{"sources": "memory/knowledge/ingest", "judgments": recordJudgments, "uploads": uploadAddress} {
		var rows int
		require.NoError(t, s.rows().QueryRow(t.Context(), `SELECT count(*) FROM `+table+` WHERE workspace_id = $1`, s.workspace.ID).Scan(&rows))
		require.Equal(t, made[operation], rows, operation)
	}
}
