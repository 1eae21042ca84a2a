package memory

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

// What one process calls completed the other one finds with its next request.
func TestStatus_1_CompletedIsFoundByEveryProcess(t *testing.T) {
	one, _ := kit.NewVariantWorkspace(t, kit.WordsAsModel)
	other := one.Through(kit.WordsAsModel.Processes[1].URL)
	for i, env := range []*kit.Env{one, other, one, other} {
		source := kit.Ingest(env, marked("first", 3))
		kit.RequireWithin(t, kit.IngestionTime, "it is completed", func() bool { return kit.Status(env, source).Status == "completed" })
		asked := []*kit.Env{other, one}[i%2]
		require.Len(t, kit.Search(asked, "machine", map[string]any{"sourceId": source, "includeRules": true}).Results, 6)
	}
}

// reading says by a word of each version which one reads show.
type reading struct {
	*kit.Env

	source  string
	chunks  int
	version map[string]int
	newest  int
}

// sees notes that a text is of one version, and of none before the newest that was seen.
func (r *reading) sees(what string, texts ...string) {
	r.T.Helper()
	require.Len(r.T, texts, r.chunks, "%s shows a whole version", what)
	for word, version := range r.version {
		if strings.Contains(texts[0], "The "+word+" part") {
			require.GreaterOrEqual(r.T, version, r.newest, "%s goes back", what)
			r.newest = version
			for _, text := range texts {
				require.Contains(r.T, text, "The "+word+" part", "%s shows one version", what)
			}
			return
		}
	}
	require.FailNow(r.T, what+" shows neither version")
}

// look reads in each way: what one has shown, the next one shows too.
func (r *reading) look() {
	r.T.Helper()
	var listed, found []string
	for _, rule := range listRulesOf(r.Env, r.source) {
		listed = append(listed, rule.Content)
	}
	r.sees("the list", listed...)
	for text := range rulesOf(r.Env, r.source) {
		found = append(found, text)
	}
	r.sees("the search", found...)
	sections := strings.Split(strings.TrimSpace(*textOf(r.Env, r.source)), "# Section")
	r.sees("the text", sections[1:]...)
}

func TestKnowledgeRules_2AndDownload_3_AllReadsChangeTogether(t *testing.T) {
	env, _ := kit.NewVariantWorkspace(t, kit.WordsAsModel)
	r := &reading{Env: env, chunks: 25, version: map[string]int{"former": 1, "latter": 2}}
	r.source = kit.Ingest(env, marked("former", r.chunks))
	kit.BroughtIn(env, r.source, "completed")
	r.look()
	require.Equal(t, 1, r.newest)
	done := make(chan error, 1)
	go func() {
		_, err := client.Call[redline.UpdateResult](env.Ctx, env.Keyed, client.UpdateKnowledge, map[string]any{"sourceId": r.source, "newContent": marked("latter", r.chunks)})
		done <- err
	}()
	kit.RequireWithin(t, kit.IngestionTime, "the new version is seen", func() bool { r.look(); return r.newest == 2 })
	require.NoError(t, <-done)
	r.look()
}

func TestKnowledgeDownload_4_WhatIsSentBackChangesNothing(t *testing.T) {
	env, _ := kit.NewVariantWorkspace(t, kit.WordsAsModel)
	texts := []string{
		kit.HousePaper, marked("same", 5), "# Before you print\n\n- [ ] Check the \"margins\"\n- [x] Ensure the logo is there\n\nYou must never use:\n\n1. red ink\n2. a pencil\n",
		"\xef\xbb\xbfBills must be paid.\r\n\r\nCafe\u0301s must close at ten.\r\n",
	}
	table := "task,remark\nThe form must be signed,a | b\n\"At least 3 people, always, sign\",\n"
	sources := []string{ingestBytes(env, []byte(table), kit.CSVType)}
	for _, text := range texts {
		sources = append(sources, kit.Ingest(env, text))
	}
	for _, source := range sources {
		rules := kit.BroughtIn(env, source, "completed").ExtractedRulesCount
		require.NotZero(t, rules)
		answer := update(env, source, *textOf(env, source))
		require.Empty(t, answer.Diff.Added)
		require.Empty(t, answer.Diff.Removed)
		require.Equal(t, []int{int(rules), 2}, []int{int(answer.Diff.Unchanged), int(answer.NewVersion)})
	}
}

// The large source has two thousand items; a package test has ten thousand around it.
func TestKnowledgeSearch_6_ASmallSourceIsFoundWholeBesideALargeOne(t *testing.T) {
	env, _ := kit.NewVariantWorkspace(t, kit.WordsAsModel)
	large, small := kit.Ingest(env, marked("large", 1000)), kit.Ingest(env, "# Cellar\n\nWine lies here.\n\n# Attic\n\nHay lies there.\n\n# Yard\n\nDogs bark.\n")
	for _, source := range []string{large, small} {
		kit.BroughtIn(env, source, "completed")
	}
	for _, hybrid := range []bool{false, true} {
		found := kit.Search(env, "The machine turns slowly.", map[string]any{"sourceId": small, "hybrid": hybrid}).Results
		require.Len(t, found, 3)
		for _, hit := range found {
			require.Equal(t, small, hit.SourceID)
		}
	}
}

// Nothing that a browser would run leaves the service as what it runs.
func TestFiles_5_MarkupIsNeverServedAsSuch(t *testing.T) {
	env := kit.NewWorkspace(t)
	const page, html = "<html><script>alert(1)</script>The door must be shut.</html>", "text/html"
	env.RefusedAs("INVALID_ARGUMENT", client.UploadAddress, map[string]any{"mimeType": html, "fileSize": len(page)})
	env.RefusedAs("INVALID_ARGUMENT", client.Ingest, map[string]any{"source": "inline", "file": kit.InlineFile([]byte(page), html)})
	u := kit.RequestUpload(env, len(page), kit.PlainText)
	code, _ := kit.Put(t, u.UploadURL, html, strings.NewReader(page))
	require.Equal(t, http.StatusBadRequest, code)
	code, _ = kit.Put(t, u.UploadURL, kit.PlainText, strings.NewReader(page))
	require.Equal(t, http.StatusOK, code)
	status := kit.BroughtIn(env, kit.IngestAs(env, map[string]any{"source": "fileRef", "fileRef": u.FileRef, "mimeType": kit.PlainText}), "completed")
	for _, address := range []string{status.OriginalDownloadURL, status.CanonicalMdDownloadURL} {
		answer, content := kit.Get(t, address, "")
		require.Equal(t, page, strings.TrimSpace(string(content)))
		require.NotContains(t, answer.Header.Get("content-type"), "html")
		require.Equal(t, "nosniff", answer.Header.Get("x-content-type-options"))
		require.True(t, strings.HasPrefix(answer.Header.Get("content-disposition"), "attachment"))
	}
}
