package tests

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/receiver"
	"github.com/redline-svc/redline/tests/stack"
)

// ingestStages are those in which something can die, in their order.
var ingestStages = []string{"queued", "converting", "chunking", "extracting-rules", "embedding", "indexing", "completed"}

// remarks is how many messages are on their way when something dies.
const remarks = 10

// ingestsUnderFire are ingests, and deliveries, while worker, index and engine die.
type ingestsUnderFire struct {
	*lab
	s       *scene
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

// TestSoak_IngestsSurviveKills kills one of two workers, the index or the engine at
// random moments of ingests, always while an endpoint has a message and has not
// answered, and others wait for their next attempt. The servers are those of a
// stack of its own.
func TestSoak_IngestsSurviveKills(t *testing.T) {
	n := kills(t)
	parts := ownParts(t)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	f := &ingestsUnderFire{
		lab: labOn(t, parts), parts: parts, random: rand.New(rand.NewPCG(seed, seed)),
		victims: map[string]int{}, stages: map[string]int{},
	}
	f.s = f.begin(f.start("api")).hooked()
	for range 2 {
		f.workers = append(f.workers, f.start("worker", shortAttempts, tirelessly))
	}
	f.s.endpointAt("/told", map[string]any{"filterTypes": []string{"knowledge.ingest.completed", "knowledge.ingest.failed", "comment.add"}})
	const sections = 24
	sources := []string{f.s.ingest(manual(sections))}
	f.s.whole(sources[0], sections)
	for range n {
		sources = append(sources, f.strike(sections)...)
	}
	f.settle(sources)
	for _, source := range sources {
		f.s.whole(source, sections)
	}
	whole := indexReport{Workspaces: 1, Versions: len(sources), Items: 2 * sections * len(sources), Judgments: len(f.said)}
	var report indexReport
	within(t, patience, "the index has the judgment of each comment", func() bool {
		var err error
		report, err = f.checkIndex()
		require.NoError(t, err)
		return report.Judgments == whole.Judgments
	})
	require.Equal(t, whole, report)
	f.checkPublished(sources)
	f.atRest(whileAway...)
	t.Logf("%d kills %v, %d ingests of %d chunks and as many rules and %d messages, none lost or doubled", n, f.victims, len(sources), sections,
		len(sources)+len(f.said))
	for _, name := range slices.Sorted(maps.Keys(f.stages)) {
		t.Logf("%4d %s", f.stages[name], name)
	}
}

// checkPublished waits until the endpoint has heard of every ingest and comment, each
// by one message with one body.
func (f *ingestsUnderFire) checkPublished(sources []string) {
	f.t.Helper()
	want := slices.Concat(sources, f.said)
	f.s.complete([]string{"/told"}, len(want))
	var reported []string
	for _, body := range f.s.bodies("/told") {
		var message struct {
			Data struct {
				ingestEnded

				TargetComment struct{ CommentText string }
			}
		}
		require.NoError(f.t, json.Unmarshal([]byte(body), &message))
		if message.Data.SourceID != "" {
			require.Equal(f.t, "completed", message.Data.Status)
		}
		reported = append(reported, message.Data.SourceID+message.Data.TargetComment.CommentText)
	}
	require.ElementsMatch(f.t, want, reported, "one message for each")
}

// settle waits until no source is under way, as long as it takes: a hundred
// kills leave a long line on a busy machine. None is stuck while the line moves.
func (f *ingestsUnderFire) settle(sources []string) {
	f.t.Helper()
	left := slices.Clone(sources)
	defer func() {
		if f.t.Failed() {
			f.explain(left)
		}
	}()
	for len(left) > 0 {
		before := len(left)
		within(f.t, ingestionTime, "one more source is brought in", func() bool {
			left = slices.DeleteFunc(left, func(source string) bool { return f.s.status(source).Status != "processing" })
			return len(left) < before
		})
	}
}

// explain tells what sources that are still under way wait for.
func (f *ingestsUnderFire) explain(left []string) {
	f.t.Helper()
	o := atTheEngineOf(f.t, f.parts, f.Namespace)
	for _, source := range left {
		f.t.Logf("%s is in %s", source, f.s.status(source).Progress.Stage)
		for _, info := range o.search("RedlineObjectId = '" + source + "'") {
			of := info.GetExecution()
			described, err := o.DescribeWorkflowExecution(f.t.Context(), of.GetWorkflowId(), of.GetRunId())
			f.t.Logf("its run is %s; %v %v %v", info.GetStatus(), described.GetPendingActivities(), described.GetPendingWorkflowTask(), err)
		}
	}
}

// strike lets deliveries be under way, ingests a source, waits until it is in
// some stage, kills something, ingests another one meanwhile and brings the victim
// back.
func (f *ingestsUnderFire) strike(sections int) []string {
	f.t.Helper()
	victim := []string{"worker", "weaviate", "temporal"}[f.random.IntN(3)]
	stage := f.random.IntN(len(ingestStages) - 1)
	gate := f.remark()
	first := f.s.ingest(manual(sections))
	for looks := f.random.IntN(3); looks >= 0; { // a few looks more, so that it dies within the stage too
		if slices.Index(ingestStages, f.s.status(first).Progress.Stage) >= stage {
			looks--
		}
	}
	f.end(victim)
	f.s.receiver().Answer("/told", receiver.Status(200))
	gate.Release()
	found := f.s.status(first).Progress.Stage
	f.victims[victim]++
	f.stages[fmt.Sprintf("%s in %s", victim, found)]++
	second := f.s.ingest(manual(sections))
	if victim == "weaviate" {
		how, _ := f.s.degraded("machine")
		require.Equal(f.t, "recency", how)
	} else {
		f.s.search("machine") // only an index that is away is felt by a search
	}
	f.revive(victim)
	return []string{first, second}
}

// remark makes messages that the endpoint does not take: each attempt is answered
// with a refusal, and from now on none before the gate is opened. The first of
// those has arrived.
func (f *ingestsUnderFire) remark() *receiver.Gate {
	f.t.Helper()
	f.s.receiver().Answer("/told", receiver.Status(503))
	comments := make([]map[string]any, remarks)
	for i := range comments {
		text := unique("remark")
		comments[i] = wrote("ann", text, loud)
		f.said = append(f.said, text)
	}
	refused := len(f.s.receiver().Requests("/told")) + remarks/2
	f.s.annotate(made("spring", annotated(unique("annotation"), comments...)))
	f.s.arrived("/told", receiver.Count(refused))
	gate := f.s.receiver().Hold("/told")
	reached(f.t, "an attempt", gate.Reached())
	return gate
}

func (f *ingestsUnderFire) end(victim string) {
	f.t.Helper()
	if victim == "worker" {
		f.fallen = f.workers[f.random.IntN(len(f.workers))]
		f.fallen.Kill()
		return
	}
	require.NoError(f.t, f.parts.Part(f.t.Context(), victim, "kill"))
}

func (f *ingestsUnderFire) revive(victim string) {
	f.t.Helper()
	if victim == "worker" {
		f.again(f.fallen)
		return
	}
	require.NoError(f.t, f.parts.Part(f.t.Context(), victim, "start"))
}
