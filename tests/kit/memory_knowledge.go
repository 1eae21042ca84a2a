package kit

import (
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"time"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit/client"
)

const (
	// PlainText is the type of texts.
	PlainText = "text/plain"
	// CSVType is the type of tables as text.
	CSVType = "text/csv"
	// XlsxType is the type of Excel's tables.
	XlsxType = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
	// IngestionTime is how long an ingestion may take on a loaded machine.
	IngestionTime = 3 * time.Minute
)

// InlineFile returns a file as it stands in an ingest request.
func InlineFile(content []byte, mimeType string) map[string]any {
	return map[string]any{
		"base64": base64.StdEncoding.EncodeToString(content), "mimeType": mimeType, "fileName": "test.txt", "fileSize": len(content),
	}
}

// IngestData returns the data of an ingest request with a text.
func IngestData(content string) map[string]any {
	return map[string]any{"source": "inline", "file": InlineFile([]byte(content), PlainText)}
}

// Scopes are places that have no bytes in common.
var Scopes = []map[string]any{
	{}, {"organizationId": "o"}, {"organizationId": "o", "documentId": "d"}, {"organizationId": "p"}, {"organizationId": "p", "documentId": "d"},
}

// Scoped returns a request's data put in a scope.
func Scoped(data, scope map[string]any) map[string]any {
	joined := maps.Clone(data)
	maps.Copy(joined, scope)
	return joined
}

// Ingest begins the ingestion of a text and returns the source's id.
func Ingest(env *Env, content string) string {
	env.T.Helper()
	return IngestAs(env, IngestData(content))
}

// IngestAs begins the ingestion that data asks for and returns the source's id.
func IngestAs(env *Env, data map[string]any) string {
	env.T.Helper()
	var answer redline.IngestResult
	env.Call(client.Ingest, data, &answer)
	require.Equal(env.T, redline.IngestResultStatusProcessing, answer.Status)
	return answer.SourceID
}

// Status returns the status of a source's ingestion.
func Status(env *Env, sourceID string) redline.IngestStatus {
	env.T.Helper()
	var status redline.IngestStatus
	env.Call(client.IngestStatus, map[string]any{"sourceId": sourceID}, &status)
	return status
}

// BroughtIn waits until a source's ingestion has ended, requires its status and returns it.
func BroughtIn(env *Env, sourceID, status string) redline.IngestStatus {
	env.T.Helper()
	var last redline.IngestStatus
	var done int64
	RequireWithin(env.T, IngestionTime, "the source "+sourceID+" is "+status, func() bool {
		last = Status(env, sourceID)
		require.GreaterOrEqual(env.T, last.Progress.ChunksDone, done, "progress never falls")
		done = last.Progress.ChunksDone
		return last.Status != "processing"
	})
	require.Equal(env.T, status, string(last.Status), "%+v", last)
	return last
}

// Search asks a question and returns the answer by meaning; change adds further fields.
func Search(env *Env, query string, change ...map[string]any) redline.KnowledgeResults {
	env.T.Helper()
	data := map[string]any{"query": query}
	for _, fields := range change {
		maps.Copy(data, fields)
	}
	var answer redline.KnowledgeResults
	require.NoError(env.T, json.Unmarshal(ByMeaning(env, data), &answer))
	require.Len(env.T, answer.Results, int(answer.RecordsSearched))
	return answer
}

// busyMoments is how often a machine that is too busy for a moment may answer with
// the newest items. Each such answer has taken the whole time of a question.
const busyMoments = 3

// ByMeaning asks a question, requires that it is answered by meaning and returns the result.
func ByMeaning(env *Env, data map[string]any) (result json.RawMessage) {
	env.T.Helper()
	for range busyMoments {
		asked := time.Now()
		how, answer := Question(env, data)
		if how == "" {
			return answer
		}
		require.Greater(env.T, time.Since(asked), time.Second, "answered by %s although there was time to embed the question", how)
	}
	require.FailNow(env.T, "the question is not answered by meaning")
	return nil
}

// Question asks a question and returns the result, and what kept that from being one by
// meaning, empty if nothing did.
func Question(env *Env, data map[string]any) (how string, result json.RawMessage) {
	env.T.Helper()
	body, err := json.Marshal(map[string]any{"data": data})
	require.NoError(env.T, err)
	reply, err := env.Keyed.Send(env.Ctx, "/v2/"+client.SearchKnowledge, body, nil)
	require.NoError(env.T, err)
	require.Equal(env.T, http.StatusOK, reply.HTTP, "%s", reply.Body)
	var envelope struct {
		Result json.RawMessage `json:"result"`
	}
	require.NoError(env.T, json.Unmarshal(reply.Body, &envelope))
	return reply.Header.Get("x-svc-degraded"), envelope.Result
}

// HousePaper is a text of two sections with a rule in each.
const HousePaper = "# Payment\n\nBills are due thirty days after they were sent. You must pay in full.\n\n# Doors\n\nThe gate is closed at night.\n"
