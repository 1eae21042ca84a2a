package tests

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/proxy"
)

// manual is a text of that many sections, each a chunk with a rule and with
// words that no other text has.
func manual(sections int) string {
	word := unique("part")
	var text strings.Builder
	for i := range sections {
		fmt.Fprintf(&text, "# Section %d\n\nPart %s-%d must be oiled every %d days. %s\n\n", i, word, i, i+2,
			strings.Repeat("The old machine turns slowly while the workers watch it. ", 8))
	}
	return text.String()
}

// whole proves that a source has all its chunks and rules in the index, once.
func (s *scene) whole(sourceID string, sections int) {
	s.t.Helper()
	status := s.broughtIn(sourceID, "completed")
	require.Equal(s.t, sections, *status.ChunkCount)
	require.Equal(s.t, sections, *status.ExtractedRulesCount)
	require.Equal(s.t, sections, status.Progress.ChunksDone)
	chunks := s.search("machine", map[string]any{"sourceId": sourceID, "limit": 50})
	require.Len(s.t, chunks.Results, sections)
	seen := map[string]bool{}
	for _, hit := range s.search("machine", map[string]any{"sourceId": sourceID, "limit": 50, "includeRules": true}).Results {
		require.NotNil(s.t, hit.Score)
		require.False(s.t, seen[hit.Kind+hit.Text], "found twice: %s", hit.Text)
		seen[hit.Kind+hit.Text] = true
	}
	require.Len(s.t, seen, 2*sections)
}

// degraded asks a question and tells how it was answered.
func (s *scene) degraded(query string) (string, knowledgeAnswer) {
	s.t.Helper()
	how, result := s.question(map[string]any{"query": query, "includeRules": true})
	var answer knowledgeAnswer
	require.NoError(s.t, json.Unmarshal(result, &answer))
	return how, answer
}

// beforePart is a proxy before the port of a part that a variable names.
func beforePart(t *testing.T, variable string) *proxy.Plain {
	t.Helper()
	port, err := proxy.NewPlain(shared.Env[variable])
	require.NoError(t, err)
	t.Cleanup(port.Down)
	return port
}

func TestIngest_5AndStatus_2_IndexAwayIsNoticedByNobodyElse(t *testing.T) {
	l := newLab(t)
	index, searches := beforePart(t, "REDLINE_WEAVIATE_ADDR"), beforePart(t, "REDLINE_WEAVIATE_GRPC_ADDR")
	s := l.begin(l.start("serve", "REDLINE_WEAVIATE_ADDR="+index.Addr(), "REDLINE_WEAVIATE_GRPC_ADDR="+searches.Addr()))
	before := s.ingest(housePaper)
	s.broughtIn(before, "completed")
	require.Len(t, s.search("invoice").Results, 2)

	index.Down()
	searches.Down()
	how, answer := s.degraded("invoice")
	require.Equal(t, "recency", how)
	require.Len(t, answer.Results, 3)
	for _, hit := range answer.Results {
		require.Nil(t, hit.Score)
	}
	waiting := s.ingest(manual(3))
	s.dispatch(s.instant()).ends("completed")
	within(t, ingestionTime, "the source waits for the index", func() bool { return s.status(waiting).Progress.Stage == "indexing" })
	require.Equal(t, "processing", s.status(waiting).Status)

	require.NoError(t, index.Up())
	require.NoError(t, searches.Up())
	s.whole(waiting, 3)
	eventually(t, "searches reach the index again", func() bool {
		how, answer = s.degraded("invoice")
		return how == ""
	})
	require.NotNil(t, answer.Results[0].Score)
}

func TestKnowledgeSearch_3AndStatus_2_NoModelMeansTheNewestItems(t *testing.T) {
	s := begin(t).beside("REDLINE_EMBEDDER=http", "REDLINE_EMBED_URL=http://127.0.0.1:1", "REDLINE_EMBED_MODEL=none", "REDLINE_EMBED_DIMENSIONS=384")
	old := s.ingest(housePaper)
	s.broughtIn(old, "completed")
	young := s.ingest("# Garden\n\nThe roses must be watered every morning.\n")
	s.broughtIn(young, "completed")
	how, answer := s.degraded("invoice")
	require.Equal(t, "recency", how)
	require.Len(t, answer.Results, 5)
	for i, hit := range answer.Results {
		require.Nil(t, hit.Score)
		require.Equal(t, i < 2, hit.SourceID == young, "the newest first, both corpora interleaved")
	}
}

func TestIngest_5AndStatus_2_EngineAway(t *testing.T) {
	l := newLab(t)
	s := l.begin(l.start("serve"))
	l.Engine.Down()
	source := s.ingest(manual(2))
	require.Equal(t, "processing", s.status(source).Status)
	require.Empty(t, s.search("machine").Results)
	require.NoError(t, l.Engine.Up())
	s.whole(source, 2)
}

// A stop of the worker is no fault that lasts: what it was about when it stopped, long
// ago, bears the first fault after that, and the next ones.
func TestIngest_5_AStopOfTheWorkerIsNoFault(t *testing.T) {
	l := newLab(t)
	model := beforeModel(t)
	settings := lettersAt("http://" + model.Addr())
	s := l.begin(l.start("api", settings...))
	worker := l.start("worker", settings...)
	held := l.Rows.HoldRequest(proxy.Says("INSERT INTO vectors"))
	source := s.ingest(manual(3))
	reached(t, "it is being embedded", held.Reached())
	worker.Kill()
	held.Drop()
	rows := l.rows()
	_, err := rows.Exec(t.Context(), `UPDATE source_versions SET stage_since = stage_since - interval '7 hours', started_at = started_at - interval '7 hours',
       updated_at = updated_at - interval '7 hours', drive_after = drive_after - interval '7 hours'`)
	require.NoError(t, err)

	model.Down()
	l.again(worker)
	within(t, ingestionTime, "it meets a fault", func() bool {
		status := s.status(source)
		require.Equal(t, []string{"processing", "embedding"}, []string{status.Status, status.Progress.Stage})
		return s.meets(rows, `EXISTS (SELECT FROM source_versions WHERE workspace_id = $1 AND fault_since > clock_timestamp() - interval '1 hour')`)
	})
	require.NoError(t, model.Up())
	s.whole(source, 3)
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

// TestIngest_4_WorkerKilledInEachStage kills it five times in each. What was
// begun before a kill goes on beside what comes after it, and is killed again.
func TestIngest_4_WorkerKilledInEachStage(t *testing.T) {
	l := newLab(t)
	s := l.begin(l.start("api"))
	worker := l.start("worker")
	worker.Kill()
	const sections, times = 12, 5
	var sources []string
	for _, point := range stagePoints {
		stage, statement := point[0], point[1]
		for range times {
			held := l.Rows.HoldRequest(proxy.Says(statement))
			source := s.ingest(manual(sections))
			sources = append(sources, source)
			l.again(worker) // a new process sends the text of each statement once
			reached(t, statement, held.Reached())
			worker.Kill()
			held.Drop()
			require.Equal(t, "processing", s.status(source).Status, stage)
			require.True(t, slices.ContainsFunc(sources, func(source string) bool { return s.status(source).Progress.Stage == stage }), stage)
		}
	}
	l.again(worker)
	for _, source := range sources {
		s.whole(source, sections)
	}
	report, err := l.checkIndex()
	require.NoError(t, err)
	require.Equal(t, indexReport{Workspaces: 1, Versions: len(sources), Items: 2 * sections * len(sources)}, report)
	l.atRest()
}
