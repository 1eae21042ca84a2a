package memory

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/receiver"
	"github.com/redline-svc/redline/tests/kit/stack"
)

// ingestStages are those in which something can die, in their order.
var ingestStages = []string{"queued", "converting", "chunking", "extracting-rules", "embedding", "indexing", "completed"}

// remarks is how many messages are on their way when something dies.
const remarks = 10

// ingestsUnderFire are ingests, and deliveries, while worker, index and Temporal die.
type ingestsUnderFire struct {
	*kit.IsolatedStack
	s       *kit.Env
	parts   *stack.Stack
	workers []*stack.Service
	// fallen is the worker that was killed last.
	fallen *stack.Service
	random *rand.Rand
	// counts of kills by victim, and by victim and stage.
	victims, stages map[string]int
	// said are the comments of which the endpoint is told besides.
	said []string
}

// TestSoak_IngestsSurviveKills kills one of two workers, the index or Temporal at
// random moments of ingests, always while an endpoint has a message and has not
// answered, and others wait for their next attempt. The servers are those of a
// stack of its own.
func TestSoak_IngestsSurviveKills(t *testing.T) {
	n := kit.Kills(t)
	parts := kit.OwnParts(t)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	f := &ingestsUnderFire{
		IsolatedStack: kit.NewIsolatedStackOn(t, parts), parts: parts, random: rand.New(rand.NewPCG(seed, seed)),
		victims: map[string]int{}, stages: map[string]int{},
	}
	f.s = kit.Hooked(f.NewWorkspace(f.StartProcess("api")))
	for range 2 {
		f.workers = append(f.workers, f.StartProcess("worker", kit.ShortAttempts, kit.Tirelessly))
	}
	kit.EndpointAt(f.s, "/told", map[string]any{"filterTypes": []string{"knowledge.ingest.completed", "knowledge.ingest.failed", "comment.add"}})
	const sections = 24
	sources := []string{kit.Ingest(f.s, kit.Manual(sections))}
	whole(f.s, sources[0], sections)
	for range n {
		sources = append(sources, f.strike(sections)...)
	}
	f.settle(sources)
	for _, source := range sources {
		whole(f.s, source, sections)
	}
	whole := kit.IndexReport{Workspaces: 1, Versions: len(sources), Items: 2 * sections * len(sources), Judgments: len(f.said)}
	var report kit.IndexReport
	kit.RequireWithin(t, kit.Patience, "the index has the judgment of each comment", func() bool {
		var err error
		report, err = f.CheckIndex()
		require.NoError(t, err)
		return report.Judgments == whole.Judgments
	})
	require.Equal(t, whole, report)
	f.checkPublished(sources)
	f.AtRest(kit.WhileAway...)
	t.Logf("%d kills %v, %d ingests of %d chunks and as many rules and %d messages, none lost or doubled", n, f.victims, len(sources), sections,
		len(sources)+len(f.said))
	for _, name := range slices.Sorted(maps.Keys(f.stages)) {
		t.Logf("%4d %s", f.stages[name], name)
	}
}

// checkPublished waits until the endpoint has heard of every ingest and comment, each
// by one message with one body.
func (f *ingestsUnderFire) checkPublished(sources []string) {
	f.T.Helper()
	want := slices.Concat(sources, f.said)
	kit.Complete(f.s, []string{"/told"}, len(want))
	var reported []string
	for _, body := range kit.BodiesAt(f.s, "/told") {
		var message struct {
			Data struct {
				kit.IngestEnded

				TargetComment struct{ CommentText string }
			}
		}
		require.NoError(f.T, json.Unmarshal([]byte(body), &message))
		if message.Data.SourceID != "" {
			require.Equal(f.T, "completed", message.Data.Status)
		}
		reported = append(reported, message.Data.SourceID+message.Data.TargetComment.CommentText)
	}
	require.ElementsMatch(f.T, want, reported, "one message for each")
}

// settle waits until no source is under way, as long as it takes: a hundred
// kills leave a long line on a busy machine. None is stuck while the line moves.
func (f *ingestsUnderFire) settle(sources []string) {
	f.T.Helper()
	left := slices.Clone(sources)
	defer func() {
		if f.T.Failed() {
			f.explain(left)
		}
	}()
	for len(left) > 0 {
		before := len(left)
		kit.RequireWithin(f.T, kit.IngestionTime, "one more source is brought in", func() bool {
			left = slices.DeleteFunc(left, func(source string) bool { return kit.Status(f.s, source).Status != "processing" })
			return len(left) < before
		})
	}
}

// explain returns what sources that are still under way wait for.
func (f *ingestsUnderFire) explain(left []string) {
	f.T.Helper()
	o := kit.TemporalClientAt(f.T, f.parts, f.Namespace)
	for _, source := range left {
		f.T.Logf("%s is in %s", source, kit.Status(f.s, source).Progress.Stage)
		for _, info := range o.Search("RedlineObjectId = '" + source + "'") {
			of := info.GetExecution()
			described, err := o.DescribeWorkflowExecution(f.T.Context(), of.GetWorkflowId(), of.GetRunId())
			f.T.Logf("its run is %s; %v %v %v", info.GetStatus(), described.GetPendingActivities(), described.GetPendingWorkflowTask(), err)
		}
	}
}

// strike lets deliveries be under way, ingests a source, waits until it is in
// some stage, kills something, ingests another one meanwhile and brings the victim
// back.
func (f *ingestsUnderFire) strike(sections int) []string {
	f.T.Helper()
	victim := []string{"worker", "weaviate", "temporal"}[f.random.IntN(3)]
	stage := f.random.IntN(len(ingestStages) - 1)
	gate := f.remark()
	first := kit.Ingest(f.s, kit.Manual(sections))
	for looks := f.random.IntN(3); looks >= 0; { // a few looks more, so that it dies within the stage too
		if slices.Index(ingestStages, kit.Status(f.s, first).Progress.Stage) >= stage {
			looks--
		}
	}
	f.end(victim)
	f.s.Receiver().Answer("/told", receiver.Status(200))
	gate.Release()
	found := kit.Status(f.s, first).Progress.Stage
	f.victims[victim]++
	f.stages[fmt.Sprintf("%s in %s", victim, found)]++
	second := kit.Ingest(f.s, kit.Manual(sections))
	if victim == "weaviate" {
		how, _ := degraded(f.s, "machine")
		require.Equal(f.T, "recency", how)
	} else {
		kit.Search(f.s, "machine") // only an index that is away is felt by a search
	}
	f.revive(victim)
	return []string{first, second}
}

// remark makes messages that the endpoint does not take: each attempt is answered
// with a refusal, and from now on none before the gate is opened. The first of
// those has arrived.
func (f *ingestsUnderFire) remark() *receiver.Gate {
	f.T.Helper()
	f.s.Receiver().Answer("/told", receiver.Status(503))
	comments := make([]map[string]any, remarks)
	for i := range comments {
		text := kit.Unique("remark")
		comments[i] = kit.Wrote("ann", text, kit.Loud)
		f.said = append(f.said, text)
	}
	refused := len(f.s.Receiver().Requests("/told")) + remarks/2
	kit.Annotate(f.s, kit.Made("spring", kit.Annotated(kit.Unique("annotation"), comments...)))
	f.s.Arrived("/told", receiver.Count(refused))
	gate := f.s.Receiver().Hold("/told")
	kit.RequireReached(f.T, "an attempt", gate.Reached())
	return gate
}

func (f *ingestsUnderFire) end(victim string) {
	f.T.Helper()
	if victim == "worker" {
		f.fallen = f.workers[f.random.IntN(len(f.workers))]
		f.fallen.Kill()
		return
	}
	require.NoError(f.T, f.parts.Part(f.T.Context(), victim, "kill"))
}

func (f *ingestsUnderFire) revive(victim string) {
	f.T.Helper()
	if victim == "worker" {
		f.Restart(f.fallen)
		return
	}
	require.NoError(f.T, f.parts.Part(f.T.Context(), victim, "start"))
}
