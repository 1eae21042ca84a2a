package memory

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/proxy"
)

// highlighted are the highlighted parts of the text.
func highlighted(h redline.KnowledgeHit) []string {
	units, parts := utf16.Encode([]rune(h.Text)), []string{}
	for _, r := range h.Highlights {
		parts = append(parts, string(utf16.Decode(units[r.Start:r.End])))
	}
	return parts
}

// fused asks by words as well, and returns what the answer had to do without.
func fused(env *kit.Env, query string, change ...map[string]any) (how string, hits []redline.KnowledgeHit) {
	env.T.Helper()
	data := map[string]any{"query": query, "hybrid": true}
	for _, fields := range change {
		maps.Copy(data, fields)
	}
	how, result := kit.Question(env, data)
	var answer struct {
		Results         []redline.KnowledgeHit
		RecordsSearched int
	}
	require.NoError(env.T, json.Unmarshal(result, &answer))
	require.Len(env.T, answer.Results, answer.RecordsSearched)
	return how, answer.Results
}

func TestKnowledgeSearch_8_HybridAndHighlightsAddTheirKeysOnly(t *testing.T) {
	env := kit.NewWorkspace(t)
	kit.BroughtIn(env, kit.Ingest(env, kit.HousePaper), "completed")
	keys := func(change map[string]any) []string {
		data := map[string]any{"query": "gate"}
		maps.Copy(data, change)
		var answer struct{ Results []map[string]any }
		require.NoError(t, json.Unmarshal(kit.ByMeaning(env, data), &answer))
		require.NotEmpty(t, answer.Results)
		seen := map[string]bool{}
		for _, hit := range answer.Results {
			for key := range hit {
				seen[key] = true
			}
		}
		return slices.Sorted(maps.Keys(seen))
	}
	yes, no := true, false
	require.Equal(t, []string{"score", "sourceId", "text"}, keys(map[string]any{"hybrid": no, "highlights": no}))
	require.Equal(t, []string{"fusedScore", "score", "sourceId", "text"}, keys(map[string]any{"hybrid": yes}))
	require.Equal(t, []string{"highlights", "score", "sourceId", "text"}, keys(map[string]any{"highlights": yes}))
	require.Equal(t, []string{"category", "fusedScore", "highlights", "kind", "ruleId", "score", "sourceId", "text"},
		keys(map[string]any{"hybrid": yes, "highlights": yes, "includeRules": yes}))
	for _, field := range []string{"hybrid", "highlights"} {
		for _, wrong := range []any{"true", 1, []any{}} {
			failure := env.RefusedAs("INVALID_ARGUMENT", client.SearchKnowledge, map[string]any{"query": "x", field: wrong})
			require.Equal(t, http.StatusBadRequest, failure.HTTPStatus, "%s %v", field, wrong)
		}
	}
}

func TestKnowledgeSearch_Hybrid_AWordBringsWhatMeaningMisses(t *testing.T) {
	env := kit.NewWorkspace(t)
	ids := library(env)
	odd := kit.Ingest(env, "# Machines\n\nForm XR-7731 goes to the second floor.\n")
	kit.BroughtIn(env, odd, "completed")
	how, hits := fused(env, "xr-7731: the prime numbers with two divisors", map[string]any{"limit": 50})
	require.Empty(t, how)
	require.Len(t, hits, 31)
	require.ElementsMatch(t, []string{odd, ids[16]}, []string{hits[0].SourceID, hits[1].SourceID}, "%+v", hits[:2])
	require.True(t, slices.IsSortedFunc(hits, func(a, b redline.KnowledgeHit) int { return int((b.FusedScore - a.FusedScore) * 1e9) }))
	plain := kit.Search(env, "xr-7731: the prime numbers with two divisors", map[string]any{"limit": 50}).Results
	for _, hit := range hits {
		at := slices.IndexFunc(plain, func(p redline.KnowledgeHit) bool { return p.SourceID == hit.SourceID })
		require.InDelta(t, plain[at].Score, hit.Score, 1e-6, "the score is the distance")
	}
	_, again := fused(env, "xr-7731: the prime numbers with two divisors", map[string]any{"limit": 50})
	require.Equal(t, hits, again)
	_, named := fused(env, "machines", map[string]any{"limit": 1})
	require.Equal(t, odd, named[0].SourceID, "the headings above are words, too")

	_, few := fused(env, "xr-7731", map[string]any{"sourceId": []string{ids[0], "src_unknown", odd}})
	require.Equal(t, odd, few[0].SourceID)
	require.Len(t, few, 2)
	_, alone := fused(env, "xr-7731", map[string]any{"sourceId": odd})
	_, among := fused(env, "xr-7731", map[string]any{"sourceId": []string{odd, "src_unknown"}})
	require.Equal(t, alone, among)
	_, none := fused(env, "xr-7731", map[string]any{"sourceId": []string{"src_unknown", "src_nobody"}})
	require.Empty(t, none)
}

// A number in a cell is found by its digits, among many that a model takes for the same.
func TestKnowledgeSearch_8_HybridFindsTheCellOfANumber(t *testing.T) {
	env := kit.NewWorkspace(t)
	kit.BroughtIn(env, ingestBytes(env, madeWorkbook(t, func(f *excelize.File) {
		require.NoError(t, f.SetSheetRow("Sheet1", "A1", &[]any{"Article", "EAN"}))
		for n := range 400 {
			require.NoError(t, f.SetSheetRow("Sheet1", fmt.Sprintf("A%d", n+2), &[]any{fmt.Sprintf("Article %d", n), 2900417360000 + 1000*n + 255}))
		}
	}), kit.XlsxType), "completed")
	file, err := os.ReadFile(filepath.Join(tables, "kinds", "ean-bold.xlsx"))
	require.NoError(t, err)
	source := ingestBytes(env, file, kit.XlsxType)
	kit.BroughtIn(env, source, "completed")
	for _, number := range []string{"2900881204178", "700012345678"} {
		_, hits := fused(env, number, map[string]any{"limit": 3})
		require.Contains(t, hits[0].Text, number)
		require.Equal(t, source, hits[0].SourceID)
	}
	_, hits := fused(env, "2900417360255", map[string]any{"limit": 2})
	for _, hit := range hits {
		require.Contains(t, hit.Text, "2900417360255")
	}
}

func TestKnowledgeSearch_Highlights_SayWhatToLookAt(t *testing.T) {
	env := kit.NewWorkspace(t)
	kit.BroughtIn(env, kit.Ingest(env, "🔔 The bell rings at noon. Nobody pays a fee before. Who pays late pays interest on the fees."), "completed")
	_, hits := fused(env, "interest on late fees", map[string]any{"highlights": true, "hybrid": false})
	require.Zero(t, hits[0].FusedScore)
	require.Equal(t, []string{"fee", "Who pays late pays interest on the fees."}, highlighted(hits[0]))
	_, hits = fused(env, "the bells", map[string]any{"highlights": true})
	require.Equal(t, []string{"🔔 The bell rings at noon."}, highlighted(hits[0]))
	_, hits = fused(env, "volcanoes", map[string]any{"highlights": true})
	require.Empty(t, highlighted(hits[0]))
}

func TestKnowledgeSearch_3_WithoutModelHybridAnswersByWords(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	model, err := proxy.NewPlain(strings.TrimPrefix(spelled(t), "http://"))
	require.NoError(t, err)
	defer model.Down()
	env := isolated.NewWorkspace(isolated.StartProcess("serve", kit.LettersAt("http://"+model.Addr())...))
	house := kit.Ingest(env, kit.HousePaper)
	kit.BroughtIn(env, house, "completed")
	kit.BroughtIn(env, kit.Ingest(env, "# Garden\n\nThe roses must be watered every morning.\n"), "completed")
	model.Down()
	how, hits := fused(env, "closed gates", map[string]any{"includeRules": true})
	require.Equal(t, "keywords", how)
	require.Len(t, hits, 1, "what shares no word is not found by words")
	require.Equal(t, "The gate is closed at night.", hits[0].Text)
	require.Zero(t, hits[0].Score)
	require.InDelta(t, 1.0/61, hits[0].FusedScore, 1e-12)
	how, hits = fused(env, "the of is", map[string]any{"includeRules": true})
	require.Equal(t, "recency", how, "there is no word to look for")
	require.Len(t, hits, 5)
	require.Zero(t, hits[0].FusedScore)
	require.NoError(t, model.Up())
	kit.RequireEventually(t, "the model answers again", func() bool {
		how, hits = fused(env, "closed gates")
		return how == ""
	})
	require.Len(t, hits, 3)
	require.NotZero(t, hits[0].Score)
}

func TestKnowledgeSearch_4_TheIndexIsDownForRulesOnly(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	env := isolated.NewWorkspace(isolated.StartProcess("serve"))
	kit.BroughtIn(env, kit.Ingest(env, kit.HousePaper+"\n# Garden\n\nThe roses must be watered every morning.\n"), "completed")
	for _, collection := range kit.Collections(env) {
		if strings.HasPrefix(collection, "RedlineRules") {
			kit.Weaviate(t, http.MethodDelete, "schema/"+collection, nil)
		}
	}
	kinds := func(hits []redline.KnowledgeHit) (list []string) {
		for _, hit := range hits {
			list = append(list, fmt.Sprint(hit.Kind, " ", hit.Score != 0))
		}
		return list
	}
	how, hits := fused(env, "closed gates", map[string]any{"includeRules": true, "hybrid": false})
	require.Equal(t, "recency", how)
	require.Equal(t, []string{"chunk true", "chunk true", "chunk true", "rule false", "rule false"}, kinds(hits))
	how, hits = fused(env, "closed gates", map[string]any{"includeRules": true, "hybrid": false, "limit": 4})
	require.Equal(t, "recency", how)
	require.Equal(t, []string{"chunk true", "chunk true", "chunk true", "rule false"}, kinds(hits), "never above limit")
	how, hits = fused(env, "closed gates", map[string]any{"includeRules": true, "limit": 4})
	require.Equal(t, "recency", how)
	require.Equal(t, []string{"chunk true", "chunk true", "chunk true", "rule false"}, kinds(hits))
	require.Equal(t, "The gate is closed at night.", hits[0].Text)
	require.Zero(t, hits[3].FusedScore)
	how, hits = fused(env, "closed gates")
	require.Empty(t, how, "chunks alone are not concerned")
	require.Len(t, hits, 3)
}

// withoutWords makes the index hold no words of the one object of the test's workspace that has
// these.
func withoutWords(env *kit.Env, words string) {
	env.T.Helper()
	for _, collection := range kit.Collections(env) {
		var found struct {
			Objects []struct {
				ID         string
				Properties map[string]any
			}
		}
		kit.Weaviate(env.T, http.MethodGet, "objects?class="+collection+"&tenant="+url.QueryEscape(env.Workspace.ID), &found)
		for _, o := range found.Objects {
			if o.Properties["words"] != words {
				continue
			}
			body, err := json.Marshal(map[string]any{"class": collection, "tenant": env.Workspace.ID, "properties": map[string]any{"words": ""}})
			require.NoError(env.T, err)
			address := "http://" + kit.Shared.Env["REDLINE_WEAVIATE_ADDR"] + "/v1/objects/" + collection + "/" + o.ID
			request, err := http.NewRequestWithContext(env.T.Context(), http.MethodPatch, address, bytes.NewReader(body))
			require.NoError(env.T, err)
			request.Header.Set("content-type", "application/json")
			answer, err := http.DefaultClient.Do(request)
			require.NoError(env.T, err)
			require.NoError(env.T, answer.Body.Close())
			require.Equal(env.T, http.StatusNoContent, answer.StatusCode)
			return
		}
	}
	require.FailNow(env.T, "no object has the words "+words)
}

func TestIndex_WordsAreComparedMendedAndRebuilt(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	env := isolated.NewWorkspace(isolated.StartProcess("serve"))
	kit.BroughtIn(env, kit.Ingest(env, kit.HousePaper), "completed")
	ask := func() []redline.KnowledgeHit {
		how, hits := fused(env, "closed gates", map[string]any{"includeRules": true})
		require.Empty(t, how)
		return hits
	}
	before := ask()
	require.InDelta(t, 2.0/61, before[0].FusedScore, 1e-12)
	withoutWords(env, "door gate close night")
	require.Less(t, ask()[0].FusedScore, 2.0/61)
	report, err := isolated.CheckIndex()
	require.Error(t, err)
	require.Equal(t, kit.IndexReport{Workspaces: 1, Versions: 1, Items: 3, Missing: 1}, report)
	report, err = isolated.CheckIndex("--fix")
	require.NoError(t, err)
	require.Equal(t, kit.IndexReport{Workspaces: 1, Versions: 1, Items: 3, Missing: 1, Fixed: 1}, report)
	require.Equal(t, before, ask())
	for _, build := range []string{"rebuild", "reembed"} {
		_, err = isolated.Run(t.Context(), "admin", "index", build, "--as=test")
		require.NoError(t, err)
		require.Equal(t, before, ask(), build)
		report, err = isolated.CheckIndex()
		require.NoError(t, err)
		require.Equal(t, kit.IndexReport{Workspaces: 1, Versions: 1, Items: 3}, report)
	}
}
