package memory

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

const (
	pdfType = "application/pdf"
)

func TestKnowledge_AQuestionInOtherWordsFindsItsSentence(t *testing.T) {
	env := kit.NewWorkspace(t)
	source := kit.Ingest(env, kit.HousePaper)
	status := kit.BroughtIn(env, source, "completed")
	require.Equal(t, int64(1), status.Version)
	require.Equal(t, int64(1), *status.LiveVersion)
	require.Equal(t, int64(2), status.ChunkCount)
	require.Equal(t, int64(1), status.ExtractedRulesCount)
	require.Equal(t, int64(2), status.Progress.ChunksDone)
	require.Equal(t, map[string]any{"encoding": "utf-8"}, kit.ObjectOf(status.Metadata))

	found := kit.Search(env, "How long may I take to settle an invoice?")
	require.Equal(t, "Bills are due thirty days after they were sent. You must pay in full.", found.Results[0].Text)
	require.NotZero(t, found.Results[0].Score)
	require.Empty(t, found.Results[0].Kind)
	require.Equal(t, found, kit.Search(env, "How long may I take to settle an invoice?"))

	both := kit.Search(env, "How long may I take to settle an invoice?", map[string]any{"includeRules": true})
	require.Len(t, both.Results, 3)
	require.Equal(t, redline.KnowledgeHitKindChunk, both.Results[0].Kind)
	rule := both.Results[slices.IndexFunc(both.Results, func(h redline.KnowledgeHit) bool { return h.Kind == "rule" })]
	require.Equal(t, "You must pay in full.", rule.Text)
	require.Equal(t, "Payment", rule.Category)
	require.NotEmpty(t, rule.RuleID)
	require.True(t, slices.IsSortedFunc(both.Results, func(a, b redline.KnowledgeHit) int { return int((a.Score - b.Score) * 1e6) }))
	require.Len(t, kit.Search(env, "invoice", map[string]any{"includeRules": true, "limit": 1}).Results, 1)
}

func TestKnowledgeSearch_8_TheAnswerHasTheContractsKeysOnly(t *testing.T) {
	env := kit.NewWorkspace(t)
	kit.BroughtIn(env, kit.Ingest(env, kit.HousePaper), "completed")
	keys := func(data map[string]any) []string {
		var answer struct{ Results []map[string]any }
		require.NoError(t, json.Unmarshal(kit.ByMeaning(env, data), &answer))
		seen := map[string]bool{}
		for _, hit := range answer.Results {
			for key := range hit {
				seen[key] = true
			}
		}
		list := []string{}
		for key := range seen {
			list = append(list, key)
		}
		slices.Sort(list)
		return list
	}
	require.Equal(t, []string{"score", "sourceId", "text"}, keys(map[string]any{"query": "gate"}))
	require.Equal(t, []string{"category", "kind", "ruleId", "score", "sourceId", "text"}, keys(map[string]any{"query": "gate", "includeRules": true}))
}

func TestKnowledgeSearch_1_WhatIsNotAllowedIsRefused(t *testing.T) {
	env := kit.NewWorkspace(t)
	many := make([]string, 31)
	for i := range many {
		many[i] = fmt.Sprint("src_", i)
	}
	for _, change := range []map[string]any{
		{"includeRules": "true"},
		{"includeRules": 1},
		{"includeRules": nil},
		{"sourceId": []string{}},
		{"sourceId": []string{"a"}},
		{"sourceId": many},
		{"sourceId": ""},
		{"sourceId": []string{"a", ""}},
		{"sourceId": 7},
		{"sourceId": "a\x00"},
		{"sourceId": []string{"a", "b\x00"}},
		{"sourceId": " "},
		{"sourceId": []string{"a", " "}},
		{"organizationId": "o"},
		{"documentId": "d"},
		{"limit": 0},
		{"limit": 51},
		{"limit": 2.5},
		{"query": " "},
		{"query": nil},
		{"query": strings.Repeat("a", 8001)},
	} {
		data := map[string]any{"query": "x"}
		maps.Copy(data, change)
		failure := env.RefusedAs("INVALID_ARGUMENT", client.SearchKnowledge, data)
		require.Equal(t, http.StatusBadRequest, failure.HTTPStatus, "%v", change)
	}
	require.Empty(t, kit.Search(env, "x").Results)
}

func TestKnowledgeSearch_5_UnknownIdsContributeNothing(t *testing.T) {
	env := kit.NewWorkspace(t)
	other := kit.Elsewhere(env)
	foreign := kit.Ingest(other, kit.HousePaper)
	kit.BroughtIn(other, foreign, "completed")
	own := kit.Ingest(env, kit.HousePaper)
	second := kit.Ingest(env, "# Garden\n\nThe roses are watered every morning.\n")
	kit.BroughtIn(env, own, "completed")
	kit.BroughtIn(env, second, "completed")

	require.Len(t, kit.Search(env, "invoice", map[string]any{"sourceId": nil, "limit": nil}).Results, 3, "null is absent")
	alone := kit.Search(env, "invoice", map[string]any{"sourceId": own})
	require.Len(t, alone.Results, 2)
	require.Equal(t, alone, kit.Search(env, "invoice", map[string]any{"sourceId": []string{own, foreign, "src_unknown", own}}))
	require.Empty(t, kit.Search(env, "invoice", map[string]any{"sourceId": []string{foreign, "src_unknown"}}).Results)
	require.Empty(t, kit.Search(env, "invoice", map[string]any{"sourceId": foreign}).Results)
	require.Len(t, kit.Search(env, "invoice", map[string]any{"sourceId": []string{own, second}}).Results, 3)
	for _, hit := range kit.Search(env, "invoice", map[string]any{"limit": 50}).Results {
		require.NotEqual(t, foreign, hit.SourceID)
	}
	failure := env.RefusedAs("NOT_FOUND", client.IngestStatus, map[string]any{"sourceId": foreign})
	require.Equal(t, redline.ErrorDetailsReasonUnknownSource, failure.Reason)
}

func TestKnowledgeSearch_7_OneSentenceAsChunkAndRule(t *testing.T) {
	env := kit.NewWorkspace(t)
	kit.BroughtIn(env, kit.Ingest(env, "Every door must be locked at night."), "completed")
	both := kit.Search(env, "doors", map[string]any{"includeRules": true}).Results
	require.Len(t, both, 2)
	require.Equal(t, []string{"chunk", "rule"}, []string{string(both[0].Kind), string(both[1].Kind)})
	require.Equal(t, both[0].Text, both[1].Text)
	require.InDelta(t, both[0].Score, both[1].Score, 0, "the same text is equally near")
	alone := kit.Search(env, "doors").Results
	require.Len(t, alone, 1)
	require.Empty(t, alone[0].Kind)
}

func TestIngest_2_BytesThatContradictTheirType(t *testing.T) {
	env := kit.NewWorkspace(t)
	for mimeType, content := range map[string]string{kit.PlainText: "%PDF-1.4 and so on", pdfType: "PK\x03\x04zipped"} {
		env.RefusedAs("INVALID_ARGUMENT", client.Ingest, map[string]any{"source": "inline", "file": kit.InlineFile([]byte(content), mimeType)})
	}
	for _, data := range []map[string]any{
		{"source": "inline"},
		{"source": "inline", "file": kit.InlineFile([]byte("a b"), kit.PlainText), "fileRef": "gs://knowledge/x"},
		{"source": "other"},
		{"source": "fileRef", "fileRef": "gs://knowledge/x"},
		{"source": "fileRef", "fileRef": "gs://elsewhere/x", "mimeType": kit.PlainText},
		{"source": "inline", "file": kit.InlineFile([]byte("a b"), kit.PlainText), "documentId": "d"},
		{"source": "inline", "file": map[string]any{"base64": "?", "mimeType": kit.PlainText, "fileName": "a", "fileSize": 1}},
		{"source": "inline", "file": map[string]any{"base64": "YQ==", "mimeType": kit.PlainText, "fileName": " ", "fileSize": 1}},
	} {
		env.RefusedAs("INVALID_ARGUMENT", client.Ingest, data)
	}
	wide := []byte{0xff, 0xfe, 'h', 0, 'e', 0, 'l', 0, 'l', 0, 'o', 0, ' ', 0, 'y', 0, 'o', 0, 'u', 0}
	status := kit.BroughtIn(env, kit.IngestAs(env, map[string]any{"source": "inline", "file": kit.InlineFile(wide, kit.PlainText)}), "completed")
	require.Equal(t, "utf-16le", kit.ObjectOf(status.Metadata)["encoding"])
	kit.BroughtIn(env, kit.Ingest(env, "# Formats\n\nA file of this kind begins with a line of its own:\n\n%PDF-1.7\n"), "completed")
}

func TestIngest_7_ProseWithoutRulesAndABareChecklist(t *testing.T) {
	env := kit.NewWorkspace(t)
	prose := kit.Ingest(env, "The river rises in the hills and flows into the sea.")
	list := kit.Ingest(env, "- [ ] Sign the contract\n- [ ] File the copy\n")
	status := kit.BroughtIn(env, prose, "completed")
	require.Equal(t, []int{0, 1}, []int{int(status.ExtractedRulesCount), int(status.ChunkCount)})
	status = kit.BroughtIn(env, list, "completed")
	require.Equal(t, []int{2, 1}, []int{int(status.ExtractedRulesCount), int(status.ChunkCount)})
}

func TestIngest_8_FaultyFilesFailWithTheirOwnReason(t *testing.T) {
	env := kit.NewWorkspace(t)
	scan := "%PDF-1.4\n1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj\n2 0 obj << /Type /Pages /Kids [3 0 R] /Count 1 >> endobj\n" +
		"3 0 obj << /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] >> endobj\ntrailer << /Root 1 0 R /Size 4 >>\n%%EOF\n"
	locked := strings.Replace(scan, "/Size 4", "/Size 4 /ID [<00><00>] /Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <"+
		strings.Repeat("01", 32)+"> /U <"+strings.Repeat("02", 32)+"> >>", 1)
	whole, err := os.ReadFile("../../internal/extract/pdf/testdata/weather-station.pdf")
	require.NoError(t, err)
	sources := map[string]string{}
	for reason, content := range map[string][]byte{"no-text-layer": []byte(scan), "file-encrypted": []byte(locked), "file-corrupt": whole[:3000]} {
		sources[reason] = kit.IngestAs(env, map[string]any{"source": "inline", "file": kit.InlineFile(content, pdfType)})
	}
	sources["empty-file"] = kit.Ingest(env, " \n\t \n")
	for reason, source := range sources {
		status := kit.BroughtIn(env, source, "failed")
		require.Equal(t, reason, status.FailureReason)
		require.NotEmpty(t, status.FailureMessage)
		require.Nil(t, status.LiveVersion)
		require.Equal(t, "failed", status.Progress.Stage)
	}
	kit.BroughtIn(env, kit.Ingest(env, kit.HousePaper), "completed")
	require.Len(t, kit.Search(env, "gate").Results, 2)
}
