package memory

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

// madeID are the ids that the service makes for things of Memory, timeOf the times of its
// answers, tookMs the time that a search took and fileAt the path of a file. Of two
// workspaces that hold the same, answers differ in nothing else.
var (
	madeID = regexp.MustCompile(`\b(src|rule|pat)_[0-9a-z]+`)
	timeOf = regexp.MustCompile(`"(startedAt|updatedAt|uploadedAt|discoveredAt)":\d{13}`)
	tookMs = regexp.MustCompile(`"searchLatencyMs":\d+`)
	fileAt = regexp.MustCompile(`/v2/memory/files/[^"]+`)
)

// twin is a workspace that holds the same as another one, under the same names.
type twin struct {
	*kit.Env

	name, source, copied string
}

// newTwin fills a workspace. All its ids and texts are those of the other twin; its people
// have the twin's name.
func newTwin(env *kit.Env, name string, at time.Time) *twin {
	env.T.Helper()
	of := &twin{Env: env, name: name}
	of.source = kit.IngestAbout(env, "acme", "spring", kit.HousePaper)
	kit.BroughtIn(env, of.source, "completed")
	again := kit.IngestData(kit.HousePaper)
	again["organizationId"], again["documentId"], again["onDuplicate"] = "acme", "spring", "reuse"
	require.Equal(env.T, of.source, kit.IngestAs(env, again), "bytes of the other twin are not its own")
	of.copied = kit.Ingest(env, kit.HousePaper)
	require.Empty(env.T, kit.BroughtIn(env, of.copied, "completed").DedupOf, "nor is it a duplicate of theirs, or of another scope")
	var list []map[string]any
	for i, one := range opinions(0, 4, "reject") {
		one["recordId"], one["createdAt"] = fmt.Sprint("record-", i), at.UnixMilli()
		one["actionUser"] = map[string]any{"userId": fmt.Sprint("reviewer-", i), "name": name, "email": name + "@example.com"}
		list = append(list, one)
	}
	kit.Record(env, kit.Listed(list...))
	require.NotEmpty(env.T, detected(env))
	return of
}

// answers are what each operation that reads says, with a word for what is the twin's own.
func (of *twin) answers() map[string]string {
	of.T.Helper()
	found := map[string]string{}
	for operation, data := range map[string]map[string]any{
		client.IngestStatus:    {"sourceId": of.source},
		client.ListSources:     {"pageSize": 50},
		client.ListRules:       {"sourceId": of.source},
		client.ReadText:        {"sourceId": of.source},
		client.SearchKnowledge: {"query": "When are bills due?", "includeRules": true, "hybrid": true, "highlights": true, "limit": 50},
		client.SearchJudgments: {"query": kit.Liability, "organizationId": "acme", "embeddingType": "content", "limit": 50},
		client.QueryJudgments:  {"organizationId": "acme", "limit": 100},
		client.SuggestDecision: {"query": kit.Liability, "organizationId": "acme"},
		client.AskQuestion:     {"question": "When are bills due?", "organizationId": "acme", "documentId": "spring"},
		client.GetPatterns:     {},
		client.GetStats:        {},
		client.GetProfile:      {"targetUserId": "reviewer-1"},
	} {
		raw, err := client.Call[json.RawMessage](of.Ctx, of.Keyed, operation, data)
		require.NoError(of.T, err, operation)
		found[operation] = tookMs.ReplaceAllString(fileAt.ReplaceAllString(string(raw), "file"), `"searchLatencyMs":0`)
	}
	return found
}

// bare is an answer with a word for each id, moment and name.
func (of *twin) bare(answer string) string {
	answer = madeID.ReplaceAllString(timeOf.ReplaceAllString(answer, `"$1":0`), "$1")
	return strings.ReplaceAll(answer, of.name, "twin")
}

// requireApart holds the answers of two twins against each other: they say the same, and
// nothing in one is the other's.
func requireApart(t *testing.T, one, other *twin) {
	t.Helper()
	first, second := one.answers(), other.answers()
	require.ElementsMatch(t, slices.Collect(maps.Keys(first)), slices.Collect(maps.Keys(second)))
	ids := madeID.FindAllString(fmt.Sprint(first), -1)
	require.NotEmpty(t, ids)
	for operation, answer := range second {
		require.NotContains(t, answer, one.name, operation)
		require.NotContains(t, first[operation], other.name, operation)
		for _, id := range ids {
			require.NotContains(t, answer, id, operation)
		}
		require.Equal(t, one.bare(first[operation]), other.bare(answer), operation)
	}
}

// Of two workspaces with equal ids and texts neither sees anything of the other, and whatever
// is changed, tried again or deleted in one leaves the answers of the other as they are.
func TestMemory_TwinsHaveNothingInCommon(t *testing.T) {
	env := kit.NewWorkspace(t)
	at := time.Now()
	one, other := newTwin(env, kit.Unique("castor"), at), newTwin(kit.Elsewhere(env), kit.Unique("pollux"), at)
	requireApart(t, one, other)

	before := other.answers()
	update(one.Env, one.source, "Nothing must be paid.")
	kit.Record(one.Env, kit.Verdict("reviewer-1", "approve", map[string]any{"recordId": "record-1", "organizationId": "acme", "replace": true}))
	require.Equal(t, map[string]bool{"record-0": true, "record-2": true}, kit.Forget(one.Env, "record-0", "record-2"))
	kit.DeleteSource(one.Env, one.copied, true)
	detected(one.Env)
	for operation, data := range map[string]map[string]any{
		client.UpdateKnowledge: {"sourceId": other.source, "newContent": "Taken over."}, client.DeleteSource: {"sourceId": other.source, "force": true},
		client.RetrySource: {"sourceId": other.source}, client.ListRules: {"sourceId": other.source},
	} {
		require.Equal(t, redline.ErrorDetailsReasonUnknownSource, one.RefusedAs("NOT_FOUND", operation, data).Reason, operation)
	}
	content := []byte("The bell must be rung.")
	u := kit.RequestUpload(other.Env, len(content), kit.PlainText)
	ingest := map[string]any{"source": "fileRef", "fileRef": u.FileRef, "mimeType": kit.PlainText}
	require.Equal(t, redline.ErrorDetailsReasonUnknownFileRef, one.RefusedAs("NOT_FOUND", client.Ingest, ingest).Reason)
	after := other.answers()
	for operation, answer := range before {
		require.Equal(t, answer, after[operation], operation)
	}
}
