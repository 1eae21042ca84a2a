package tests

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/stack"
)

// reads waits until a process says that it is ready, or that of its parts only
// this one is not, for this reason.
func reads(t *testing.T, process *stack.Service, part, reason string) {
	t.Helper()
	eventually(t, "readiness: "+part+" "+reason, func() bool {
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

// indexReport is what `redline admin index check` prints.
type indexReport struct{ Workspaces, Versions, Items, Judgments, Missing, Surplus, Fixed int }

// checkIndex compares index and rows; flags are further words of the command.
func (l *lab) checkIndex(flags ...string) (indexReport, error) {
	l.t.Helper()
	out, failed := l.Run(l.t.Context(), append([]string{"admin", "index", "check", "--json", "--as=story"}, flags...)...)
	var report indexReport
	_, printed, found := strings.Cut(out, "{")
	require.True(l.t, found, "%s %v", out, failed)
	require.NoError(l.t, json.NewDecoder(strings.NewReader("{"+printed)).Decode(&report), out)
	return report, failed
}

// weaviate asks the index itself. A collection that is gone, since it was
// replaced meanwhile, leaves into as it is.
func weaviate(t *testing.T, method, path string, into any) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, "http://"+shared.Env["REDLINE_WEAVIATE_ADDR"]+"/v1/"+path, nil)
	require.NoError(t, err)
	answer, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	if answer.StatusCode == http.StatusUnprocessableEntity && strings.Contains(string(text), "class not found") {
		return
	}
	require.Equal(t, http.StatusOK, answer.StatusCode, "%s", text)
	if into != nil {
		require.NoError(t, json.Unmarshal(text, into))
	}
}

// collections are those in which the scene's workspace has objects.
func (s *scene) collections() []string {
	s.t.Helper()
	var schema struct{ Classes []struct{ Class string } }
	weaviate(s.t, http.MethodGet, "schema", &schema)
	var found []string
	for _, c := range schema.Classes {
		var tenants []struct{ Name string }
		weaviate(s.t, http.MethodGet, "schema/"+c.Class+"/tenants", &tenants)
		for _, tenant := range tenants {
			if tenant.Name == s.workspace.ID {
				found = append(found, c.Class)
			}
		}
	}
	return found
}

func TestIndex_LostMendedAndRebuilt(t *testing.T) {
	l := newLab(t)
	process := l.start("serve")
	s := l.begin(process)
	source := s.ingest(manual(6))
	s.whole(source, 6)
	s.broughtIn(s.ingest(housePaper), "completed")
	before := s.search("When are bills due?", map[string]any{"includeRules": true})
	report, err := l.checkIndex()
	require.NoError(t, err)
	require.Equal(t, indexReport{Workspaces: 1, Versions: 2, Items: 15}, report)
	reads(t, process, "", "")

	for _, collection := range s.collections() {
		weaviate(t, http.MethodDelete, "schema/"+collection, nil)
	}
	how, answer := s.degraded("When are bills due?")
	require.Equal(t, "recency", how)
	require.Nil(t, answer.Results[0].Score)
	reads(t, process, "weaviate", "index-lost")
	report, err = l.checkIndex()
	require.Error(t, err, "it differs and nothing was mended")
	require.Equal(t, indexReport{Workspaces: 1, Versions: 2, Items: 15, Missing: 15}, report)
	report, err = l.checkIndex("--fix")
	require.NoError(t, err)
	require.Equal(t, indexReport{Workspaces: 1, Versions: 2, Items: 15, Missing: 15, Fixed: 15}, report)
	require.Equal(t, before, s.search("When are bills due?", map[string]any{"includeRules": true}))
	reads(t, process, "", "")

	lost := s.collections()
	_, err = l.Run(t.Context(), "admin", "index", "rebuild", "--as=story")
	require.NoError(t, err)
	require.Equal(t, before, s.search("When are bills due?", map[string]any{"includeRules": true}))
	report, err = l.checkIndex()
	require.NoError(t, err)
	require.Equal(t, indexReport{Workspaces: 1, Versions: 2, Items: 15}, report)
	s.whole(s.ingest(manual(3)), 3)
	within(t, ingestionTime, "the former collections go", func() bool {
		return !slices.ContainsFunc(s.collections(), func(c string) bool { return slices.Contains(lost, c) })
	})
	s.whole(source, 6)
}

func TestIndex_AnotherModelWaitsUntilItIsBuiltAnew(t *testing.T) {
	l := newLab(t)
	process := l.start("serve")
	s := l.begin(process)
	s.broughtIn(s.ingest(housePaper), "completed")
	lexical := map[string]string{"REDLINE_EMBEDDER": "lexical"}
	process.Kill()
	other := l.start("serve", "REDLINE_EMBEDDER=lexical")
	s = s.through(other.URL)
	reads(t, other, "embedding", "embedding-model-changed")
	how, answer := s.degraded("bills")
	require.Equal(t, "recency", how, "vectors of two models are never compared")
	require.Nil(t, answer.Results[0].Score)
	waiting := s.ingest(manual(2))
	within(t, ingestionTime, "the source waits for its model", func() bool { return s.status(waiting).Progress.Stage == "embedding" })
	eventually(t, "operators read in the engine what they have to do", func() bool {
		found := l.failing("--attempts=2")
		return len(found) == 1 && found[0].LastFailure == "embedding-model-changed"
	})

	_, err := l.RunWith(t.Context(), lexical, "admin", "index", "reembed", "--as=story")
	require.NoError(t, err)
	s.whole(waiting, 2)
	require.Contains(t, s.search("bills", map[string]any{"includeRules": true}).Results[0].Text, "Bills are due")
	reads(t, other, "", "")
	report, err := l.checkIndex()
	require.NoError(t, err)
	require.Equal(t, indexReport{Workspaces: 1, Versions: 2, Items: 7}, report)
	l.atRest(triedStage)
}

// spelled is an embedding endpoint whose vectors count letters.
func spelled(t *testing.T) string {
	t.Helper()
	return exchangeable(t, new(atomic.Int32))
}

// exchangeable is one whose vectors have another order for each number: as of another model.
func exchangeable(t *testing.T, model *atomic.Int32) string {
	t.Helper()
	server := httptest.NewServer(countingLetters(model))
	t.Cleanup(server.Close)
	return server.URL
}

// countingLetters answers with vectors that count letters.
func countingLetters(model *atomic.Int32) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct{ Input []string }
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		data := make([]map[string]any, len(asked.Input))
		for i, text := range asked.Input {
			vector := make([]float64, 32)
			for _, letter := range text {
				vector[letter*(1+2*model.Load())%32]++
			}
			data[i] = map[string]any{"index": i, "embedding": vector}
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"data": data})
	})
}

// The name of a model says nothing about what is behind the endpoint's address, where it may
// be exchanged while the service runs.
func TestIndex_TheModelIsExchangedUnderItsName(t *testing.T) {
	l := newLab(t)
	model := new(atomic.Int32)
	settings := map[string]string{
		"REDLINE_EMBEDDER": "http", "REDLINE_EMBED_URL": exchangeable(t, model), "REDLINE_EMBED_MODEL": "letters", "REDLINE_EMBED_DIMENSIONS": "32",
	}
	var words []string
	for name, value := range settings {
		words = append(words, name+"="+value)
	}
	process := l.start("serve", words...)
	s := l.begin(process)
	s.broughtIn(s.ingest(housePaper), "completed")
	before := s.search("When are bills due?")
	model.Store(1)
	how, answer := s.degraded("The gate is closed at night.")
	require.Equal(t, "recency", how)
	require.Nil(t, answer.Results[0].Score)
	reads(t, process, "embedding", "embedding-model-changed")
	for _, operation := range []string{searchJudgments, suggestDecision} {
		require.Equal(t, "embedding-model-changed", s.refusedAs("FAILED_PRECONDITION", operation, map[string]any{"query": liability}).Reason)
	}
	waiting := s.ingest(manual(2))
	within(t, ingestionTime, "the source waits for its model", func() bool { return s.status(waiting).Progress.Stage == "embedding" })

	_, err := l.RunWith(t.Context(), settings, "admin", "index", "reembed", "--as=story")
	require.NoError(t, err)
	s.whole(waiting, 2)
	answer = s.search("The gate is closed at night.")
	require.Equal(t, "The gate is closed at night.", answer.Results[0].Text)
	require.NotNil(t, answer.Results[0].Score)
	require.NotEqual(t, before, s.search("When are bills due?"), "a question that was asked of the former model is asked again")
	reads(t, process, "", "")
	l.atRest(triedStage)
}

func TestIndex_TheFormerModelGoesOnServing(t *testing.T) {
	l := newLab(t)
	url := spelled(t)
	process := l.start("serve", lettersAt(url)...)
	s := l.begin(process)
	s.broughtIn(s.ingest(housePaper), "completed")
	before := s.search("The gate is closed at night.")
	process.Kill()
	other := l.start("serve", "REDLINE_EMBEDDER=lexical",
		"REDLINE_EMBED_PREVIOUS_URL="+url, "REDLINE_EMBED_PREVIOUS_MODEL=letters", "REDLINE_EMBED_PREVIOUS_DIMENSIONS=32")
	s = s.through(other.URL)
	reads(t, other, "", "")
	require.Equal(t, before, s.search("The gate is closed at night."))
	s.whole(s.ingest(manual(2)), 2)
	_, err := l.RunWith(t.Context(), map[string]string{"REDLINE_EMBEDDER": "lexical"}, "admin", "index", "reembed", "--as=story")
	require.NoError(t, err)
	after := s.search("The gate is closed at night.")
	require.NotEqual(t, fmt.Sprint(*before.Results[0].Score), fmt.Sprint(*after.Results[0].Score), "the vectors are those of the new model")
	s.whole(s.ingest(manual(2)), 2)
	l.atRest()
}

// An installation that holds no knowledge has nothing to build or to mend.
func TestIndex_NothingIsThereYet(t *testing.T) {
	l := newLab(t)
	report, err := l.checkIndex()
	require.NoError(t, err)
	require.Equal(t, indexReport{}, report)
	for _, command := range []string{"rebuild", "reembed"} {
		printed, err := l.Run(t.Context(), "admin", "index", command, "--as=story")
		require.NoError(t, err)
		require.Contains(t, printed, "nothing has been indexed yet")
	}
}
