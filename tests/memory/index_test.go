package memory

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/stack"
)

// reads waits until a process says that it is ready, or that of its parts only
// this one is not, for this reason.
func reads(t *testing.T, process *stack.Service, part, reason string) {
	t.Helper()
	kit.RequireEventually(t, "readiness: "+part+" "+reason, func() bool {
		answer, err := http.Get(process.Ops + "/readyz")
		require.NoError(t, err)
		defer func() { _ = answer.Body.Close() }()
		var state struct {
			Status       string
			Dependencies map[string]struct{ Error string }
		}
		require.NoError(t, json.NewDecoder(answer.Body).Decode(&state))
		for name, seen := range state.Dependencies {
			if (seen.Error != "") != (name == part) || !strings.Contains(seen.Error, reason) && name == part {
				return false
			}
		}
		return state.Status == map[bool]string{true: "ready", false: "degraded"}[part == ""]
	})
}

func TestIndex_LostMendedAndRebuilt(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	isolated.With(kit.LettersAt(spelled(t))...) // by words, some chunks would be equally near to the question
	process := isolated.StartProcess("serve")
	env := isolated.NewWorkspace(process)
	source := kit.Ingest(env, kit.Manual(6))
	whole(env, source, 6)
	kit.BroughtIn(env, kit.Ingest(env, kit.HousePaper), "completed")
	before := kit.Search(env, "When are bills due?", map[string]any{"includeRules": true})
	report, err := isolated.CheckIndex()
	require.NoError(t, err)
	require.Equal(t, kit.IndexReport{Workspaces: 1, Versions: 2, Items: 15}, report)
	reads(t, process, "", "")

	for _, collection := range kit.Collections(env) {
		kit.Weaviate(t, http.MethodDelete, "schema/"+collection, nil)
	}
	how, answer := degraded(env, "When are bills due?")
	require.Equal(t, "recency", how)
	require.Zero(t, answer.Results[0].Score)
	reads(t, process, "weaviate", "index-lost")
	report, err = isolated.CheckIndex()
	require.Error(t, err, "it differs and nothing was mended")
	require.Equal(t, kit.IndexReport{Workspaces: 1, Versions: 2, Items: 15, Missing: 15}, report)
	report, err = isolated.CheckIndex("--fix")
	require.NoError(t, err)
	require.Equal(t, kit.IndexReport{Workspaces: 1, Versions: 2, Items: 15, Missing: 15, Fixed: 15}, report)
	require.Equal(t, before, kit.Search(env, "When are bills due?", map[string]any{"includeRules": true}))
	reads(t, process, "", "")

	lost := kit.Collections(env)
	_, err = isolated.Run(t.Context(), "admin", "index", "rebuild", "--as=test")
	require.NoError(t, err)
	require.Equal(t, before, kit.Search(env, "When are bills due?", map[string]any{"includeRules": true}))
	report, err = isolated.CheckIndex()
	require.NoError(t, err)
	require.Equal(t, kit.IndexReport{Workspaces: 1, Versions: 2, Items: 15}, report)
	whole(env, kit.Ingest(env, kit.Manual(3)), 3)
	kit.RequireWithin(t, kit.IngestionTime, "the former collections go", func() bool {
		return !slices.ContainsFunc(kit.Collections(env), func(c string) bool { return slices.Contains(lost, c) })
	})
	whole(env, source, 6)
}

func TestIndex_AnotherModelWaitsUntilItIsBuiltAgain(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	process := isolated.StartProcess("serve", kit.LettersAt(spelled(t))...)
	env := isolated.NewWorkspace(process)
	kit.BroughtIn(env, kit.Ingest(env, kit.HousePaper), "completed")
	lexical := map[string]string{"REDLINE_EMBEDDER": "lexical"}
	process.Kill()
	other := isolated.StartProcess("serve", "REDLINE_EMBEDDER=lexical")
	env = env.Through(other.URL)
	reads(t, other, "embedding", "embedding-model-changed")
	how, answer := degraded(env, "bills")
	require.Equal(t, "recency", how, "vectors of two models are never compared")
	require.Zero(t, answer.Results[0].Score)
	waiting := kit.Ingest(env, kit.Manual(2))
	kit.RequireWithin(t, kit.IngestionTime, "the source waits for its model", func() bool { return kit.Status(env, waiting).Progress.Stage == "embedding" })
	kit.RequireEventually(t, "operators read in Temporal what they have to do", func() bool {
		found := isolated.Failing("--attempts=2")
		return len(found) == 1 && found[0].LastFailure == "embedding-model-changed"
	})

	_, err := isolated.RunWith(t.Context(), lexical, "admin", "index", "reembed", "--as=test")
	require.NoError(t, err)
	whole(env, waiting, 2)
	require.Contains(t, kit.Search(env, "bills", map[string]any{"includeRules": true}).Results[0].Text, "Bills are due")
	reads(t, other, "", "")
	report, err := isolated.CheckIndex()
	require.NoError(t, err)
	require.Equal(t, kit.IndexReport{Workspaces: 1, Versions: 2, Items: 7}, report)
	isolated.AtRest(kit.TriedStage)
}

// spelled is an embedding endpoint whose vectors count letters.
func spelled(t *testing.T) string {
	t.Helper()
	return exchangeable(t, new(atomic.Int32))
}

// exchangeable is one whose vectors have another order for each number: as of another model.
func exchangeable(t *testing.T, model *atomic.Int32) string {
	t.Helper()
	server := httptest.NewServer(kit.CountingLetters(model))
	t.Cleanup(server.Close)
	return server.URL
}

// The name of a model says nothing about what is behind the endpoint's address, where it may
// be exchanged while the service runs.
func TestIndex_TheModelIsExchangedUnderItsName(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	model := new(atomic.Int32)
	settings := map[string]string{
		"REDLINE_EMBEDDER": "http", "REDLINE_EMBED_URL": exchangeable(t, model), "REDLINE_EMBED_MODEL": "letters", "REDLINE_EMBED_DIMENSIONS": "32",
	}
	var words []string
	for name, value := range settings {
		words = append(words, name+"="+value)
	}
	process := isolated.StartProcess("serve", words...)
	env := isolated.NewWorkspace(process)
	kit.BroughtIn(env, kit.Ingest(env, kit.HousePaper), "completed")
	before := kit.Search(env, "When are bills due?")
	model.Store(1)
	how, answer := degraded(env, "The gate is closed at night.")
	require.Equal(t, "recency", how)
	require.Zero(t, answer.Results[0].Score)
	reads(t, process, "embedding", "embedding-model-changed")
	for _, operation := range []string{client.SearchJudgments, client.SuggestDecision} {
		require.Equal(t, redline.ErrorDetailsReasonEmbeddingModelChanged, env.RefusedAs("FAILED_PRECONDITION", operation, map[string]any{"query": kit.Liability}).Reason)
	}
	waiting := kit.Ingest(env, kit.Manual(2))
	kit.RequireWithin(t, kit.IngestionTime, "the source waits for its model", func() bool { return kit.Status(env, waiting).Progress.Stage == "embedding" })

	_, err := isolated.RunWith(t.Context(), settings, "admin", "index", "reembed", "--as=test")
	require.NoError(t, err)
	whole(env, waiting, 2)
	answer = kit.Search(env, "The gate is closed at night.")
	require.Equal(t, "The gate is closed at night.", answer.Results[0].Text)
	require.NotZero(t, answer.Results[0].Score)
	require.NotEqual(t, before, kit.Search(env, "When are bills due?"), "a question that was asked of the former model is asked again")
	reads(t, process, "", "")
	isolated.AtRest(kit.TriedStage)
}

func TestIndex_TheFormerModelGoesOnServing(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	url := spelled(t)
	process := isolated.StartProcess("serve", kit.LettersAt(url)...)
	env := isolated.NewWorkspace(process)
	kit.BroughtIn(env, kit.Ingest(env, kit.HousePaper), "completed")
	before := kit.Search(env, "The gate is closed at night.")
	process.Kill()
	other := isolated.StartProcess("serve", "REDLINE_EMBEDDER=lexical",
		"REDLINE_EMBED_PREVIOUS_URL="+url, "REDLINE_EMBED_PREVIOUS_MODEL=letters", "REDLINE_EMBED_PREVIOUS_DIMENSIONS=32")
	env = env.Through(other.URL)
	reads(t, other, "", "")
	require.Equal(t, before, kit.Search(env, "The gate is closed at night."))
	whole(env, kit.Ingest(env, kit.Manual(2)), 2)
	_, err := isolated.RunWith(t.Context(), map[string]string{"REDLINE_EMBEDDER": "lexical"}, "admin", "index", "reembed", "--as=test")
	require.NoError(t, err)
	after := kit.Search(env, "The gate is closed at night.")
	require.NotEqual(t, fmt.Sprint(before.Results[0].Score), fmt.Sprint(after.Results[0].Score), "the vectors are those of the new model")
	whole(env, kit.Ingest(env, kit.Manual(2)), 2)
	isolated.AtRest()
}

// An installation that holds no knowledge has nothing to build or to mend.
func TestIndex_NothingIsThereYet(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	report, err := isolated.CheckIndex()
	require.NoError(t, err)
	require.Equal(t, kit.IndexReport{}, report)
	for _, command := range []string{"rebuild", "reembed"} {
		printed, err := isolated.Run(t.Context(), "admin", "index", command, "--as=test")
		require.NoError(t, err)
		require.Contains(t, printed, "nothing has been indexed yet")
	}
}
