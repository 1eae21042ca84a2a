package memory

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/proxy"
)

// whole proves that a source has all its chunks and rules in the index, once.
func whole(env *kit.Env, sourceID string, sections int) {
	env.T.Helper()
	status := kit.BroughtIn(env, sourceID, "completed")
	require.EqualValues(env.T, sections, status.ChunkCount)
	require.EqualValues(env.T, sections, status.ExtractedRulesCount)
	require.EqualValues(env.T, sections, status.Progress.ChunksDone)
	chunks := kit.Search(env, "machine", map[string]any{"sourceId": sourceID, "limit": 50})
	require.Len(env.T, chunks.Results, sections)
	seen := map[string]bool{}
	for _, hit := range kit.Search(env, "machine", map[string]any{"sourceId": sourceID, "limit": 50, "includeRules": true}).Results {
		require.NotZero(env.T, hit.Score)
		require.False(env.T, seen[string(hit.Kind)+hit.Text], "found twice: %s", hit.Text)
		seen[string(hit.Kind)+hit.Text] = true
	}
	require.Len(env.T, seen, 2*sections)
}

// degraded asks a question and tells how it was answered.
func degraded(env *kit.Env, query string) (string, redline.KnowledgeResults) {
	env.T.Helper()
	how, result := kit.Question(env, map[string]any{"query": query, "includeRules": true})
	var answer redline.KnowledgeResults
	require.NoError(env.T, json.Unmarshal(result, &answer))
	return how, answer
}

func TestIngest_5AndStatus_2_IndexAwayIsNoticedByNobodyElse(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	index, searches := kit.BeforePart(t, "REDLINE_WEAVIATE_ADDR"), kit.BeforePart(t, "REDLINE_WEAVIATE_GRPC_ADDR")
	env := isolated.NewWorkspace(isolated.StartProcess("serve", "REDLINE_WEAVIATE_ADDR="+index.Addr(), "REDLINE_WEAVIATE_GRPC_ADDR="+searches.Addr()))
	before := kit.Ingest(env, kit.HousePaper)
	kit.BroughtIn(env, before, "completed")
	require.Len(t, kit.Search(env, "invoice").Results, 2)

	index.Down()
	searches.Down()
	how, answer := degraded(env, "invoice")
	require.Equal(t, "recency", how)
	require.Len(t, answer.Results, 3)
	for _, hit := range answer.Results {
		require.Zero(t, hit.Score)
	}
	waiting := kit.Ingest(env, kit.Manual(3))
	kit.Dispatch(env, kit.Instant(env)).Ends("completed")
	kit.RequireWithin(t, kit.IngestionTime, "the source waits for the index", func() bool { return kit.Status(env, waiting).Progress.Stage == "indexing" })
	require.Equal(t, redline.IngestStatusStatusProcessing, kit.Status(env, waiting).Status)

	require.NoError(t, index.Up())
	require.NoError(t, searches.Up())
	whole(env, waiting, 3)
	kit.RequireEventually(t, "searches reach the index again", func() bool {
		how, answer = degraded(env, "invoice")
		return how == ""
	})
	require.NotZero(t, answer.Results[0].Score)
}

func TestKnowledgeSearch_3AndStatus_2_NoModelMeansTheNewestItems(t *testing.T) {
	env, _ := kit.Beside(kit.NewWorkspace(t), "REDLINE_EMBEDDER=http", "REDLINE_EMBED_URL=http://127.0.0.1:1", "REDLINE_EMBED_MODEL=none", "REDLINE_EMBED_DIMENSIONS=384")
	old := kit.Ingest(env, kit.HousePaper)
	kit.BroughtIn(env, old, "completed")
	young := kit.Ingest(env, "# Garden\n\nThe roses must be watered every morning.\n")
	kit.BroughtIn(env, young, "completed")
	how, answer := degraded(env, "invoice")
	require.Equal(t, "recency", how)
	require.Len(t, answer.Results, 5)
	for i, hit := range answer.Results {
		require.Zero(t, hit.Score)
		require.Equal(t, i < 2, hit.SourceID == young, "the newest first, both corpora interleaved")
	}
}

func TestIngest_5AndStatus_2_TemporalAway(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	env := isolated.NewWorkspace(isolated.StartProcess("serve"))
	isolated.Temporal.Down()
	source := kit.Ingest(env, kit.Manual(2))
	require.Equal(t, redline.IngestStatusStatusProcessing, kit.Status(env, source).Status)
	require.Empty(t, kit.Search(env, "machine").Results)
	require.NoError(t, isolated.Temporal.Up())
	whole(env, source, 2)
}

// A stop of the worker is no fault that lasts: what it was about when it stopped, long
// ago, bears the first fault after that, and the next ones.
func TestIngest_5_AStopOfTheWorkerIsNoFault(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	model := beforeModel(t)
	settings := kit.LettersAt("http://" + model.Addr())
	env := isolated.NewWorkspace(isolated.StartProcess("api", settings...))
	worker := isolated.StartProcess("worker", settings...)
	held := isolated.Rows.HoldRequest(proxy.Says("INSERT INTO vectors"))
	source := kit.Ingest(env, kit.Manual(3))
	kit.RequireReached(t, "it is being embedded", held.Reached())
	worker.Kill()
	held.Drop()
	_, err := isolated.DB().Exec(t.Context(), `UPDATE source_versions SET started_at = started_at - interval '7 hours',
       updated_at = updated_at - interval '7 hours'`)
	require.NoError(t, err)

	model.Down()
	isolated.Restart(worker)
	kit.RequireWithin(t, kit.IngestionTime, "it meets a fault", func() bool {
		status := kit.Status(env, source)
		require.Equal(t, []string{"processing", "embedding"}, []string{string(status.Status), status.Progress.Stage})
		return slices.ContainsFunc(isolated.Failing("--attempts=2"), func(f kit.FailingActivity) bool {
			return f.LastFailure != "" && !strings.HasPrefix(f.LastFailure, "timeout")
		})
	})
	require.NoError(t, model.Up())
	whole(env, source, 3)
}

// stagePoints are statements that the worker sends in the midst of a stage: its
// work is done, and nothing is marked as finished yet.
var stagePoints = [][2]string{
	{"converting", `"canonical_key"=`},
	{"chunking", `copy "chunks"`},
	{"extracting-rules", `copy "rules"`},
	{"embedding", "INSERT INTO vectors"},
	{"indexing", "INSERT INTO index_copies"},
	{"completed", `"completed_at"=clock_timestamp()`},
}

// What was begun before a kill goes on beside what comes after it, and is killed again.
func TestIngest_4_WorkerKilledInEachStage(t *testing.T) { killedInEachStage(t, 2) }

func TestLong_Ingest_4_WorkerKilledFiveTimesInEachStage(t *testing.T) { killedInEachStage(t, 5) }

// killedInEachStage kills the worker so many times in each stage.
func killedInEachStage(t *testing.T, times int) {
	t.Helper()
	isolated := kit.NewIsolatedStack(t)
	env := isolated.NewWorkspace(isolated.StartProcess("api"))
	worker := isolated.StartProcess("worker")
	worker.Kill()
	const sections = 12
	var sources []string
	for _, point := range stagePoints {
		stage, statement := point[0], point[1]
		for range times {
			held := isolated.Rows.HoldRequest(proxy.Says(statement))
			source := kit.Ingest(env, kit.Manual(sections))
			sources = append(sources, source)
			isolated.Restart(worker) // a new process sends the text of each statement once
			kit.RequireReached(t, statement, held.Reached())
			worker.Kill()
			held.Drop()
			require.Equal(t, redline.IngestStatusStatusProcessing, kit.Status(env, source).Status, stage)
			require.True(t, slices.ContainsFunc(sources, func(source string) bool { return kit.Status(env, source).Progress.Stage == stage }), stage)
		}
	}
	isolated.Restart(worker)
	for _, source := range sources {
		whole(env, source, sections)
	}
	report, err := isolated.CheckIndex()
	require.NoError(t, err)
	require.Equal(t, kit.IndexReport{Workspaces: 1, Versions: len(sources), Items: 2 * sections * len(sources)}, report)
	isolated.AtRest()
}
