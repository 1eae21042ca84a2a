package tests

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
)

// What one process calls completed the other one finds with its next request.
func TestStatus_1_CompletedIsFoundByEveryProcess(t *testing.T) {
	one, _ := beginAt(t, wordsAsModel)
	other := one.through(wordsAsModel.processes[1].URL)
	for i, s := range []*scene{one, other, one, other} {
		source := s.ingest(marked("first", 3))
		within(t, ingestionTime, "it is completed", func() bool { return s.status(source).Status == "completed" })
		asked := []*scene{other, one}[i%2]
		require.Len(t, asked.search("machine", map[string]any{"sourceId": source, "includeRules": true}).Results, 6)
	}
}

// reading says by a word of each version which one reads show.
type reading struct {
	*scene

	source  string
	chunks  int
	version map[string]int
	newest  int
}

// sees notes that a text is of one version, and of none before the newest that was seen.
func (r *reading) sees(what string, texts ...string) {
	r.t.Helper()
	require.Len(r.t, texts, r.chunks, "%s shows a whole version", what)
	for word, version := range r.version {
		if strings.Contains(texts[0], "The "+word+" part") {
			require.GreaterOrEqual(r.t, version, r.newest, "%s goes back", what)
			r.newest = version
			for _, text := range texts {
				require.Contains(r.t, text, "The "+word+" part", "%s shows one version", what)
			}
			return
		}
	}
	require.FailNow(r.t, what+" shows neither version")
}

// look reads in each way: what one has shown, the next one shows too.
func (r *reading) look() {
	r.t.Helper()
	var listed, found []string
	for _, rule := range r.rules(r.source) {
		listed = append(listed, rule.Content)
	}
	r.sees("the list", listed...)
	for text := range r.rulesOf(r.source) {
		found = append(found, text)
	}
	r.sees("the search", found...)
	sections := strings.Split(strings.TrimSpace(*r.text(r.source)), "# Section")
	r.sees("the text", sections[1:]...)
}

func TestKnowledgeRules_2AndDownload_3_AllReadsChangeTogether(t *testing.T) {
	s, _ := beginAt(t, wordsAsModel)
	r := &reading{scene: s, chunks: 25, version: map[string]int{"former": 1, "latter": 2}}
	r.source = s.ingest(marked("former", r.chunks))
	s.broughtIn(r.source, "completed")
	r.look()
	require.Equal(t, 1, r.newest)
	done := make(chan error, 1)
	go func() {
		_, err := client.Call[updated](s.ctx, s.keyed, updateKnowledge, map[string]any{"sourceId": r.source, "newContent": marked("latter", r.chunks)})
		done <- err
	}()
	within(t, ingestionTime, "the new version is seen", func() bool { r.look(); return r.newest == 2 })
	require.NoError(t, <-done)
	r.look()
}

func TestKnowledgeDownload_4_WhatIsSentBackChangesNothing(t *testing.T) {
	s, _ := beginAt(t, wordsAsModel)
	texts := []string{
		housePaper, marked("same", 5), "# Before you print\n\n- [ ] Check the \"margins\"\n- [x] Ensure the logo is there\n\nYou must never use:\n\n1. red ink\n2. a pencil\n",
		"\xef\xbb\xbfBills must be paid.\r\n\r\nCafe\u0301s must close at ten.\r\n",
	}
	table := "task,remark\nThe form must be signed,a | b\n\"At least 3 people, always, sign\",\n"
	sources := []string{s.ingestBytes([]byte(table), csvType)}
	for _, text := range texts {
		sources = append(sources, s.ingest(text))
	}
	for _, source := range sources {
		rules := *s.broughtIn(source, "completed").ExtractedRulesCount
		require.NotZero(t, rules)
		answer := s.update(source, *s.text(source))
		require.Empty(t, answer.Diff.Added)
		require.Empty(t, answer.Diff.Removed)
		require.Equal(t, []int{rules, 2}, []int{answer.Diff.Unchanged, answer.NewVersion})
	}
}

// The large source has two thousand items; a package test has ten thousand around it.
func TestKnowledgeSearch_6_ASmallSourceIsFoundWholeBesideALargeOne(t *testing.T) {
	s, _ := beginAt(t, wordsAsModel)
	large, small := s.ingest(marked("large", 1000)), s.ingest("# Cellar\n\nWine lies here.\n\n# Attic\n\nHay lies there.\n\n# Yard\n\nDogs bark.\n")
	for _, source := range []string{large, small} {
		s.broughtIn(source, "completed")
	}
	for _, hybrid := range []bool{false, true} {
		found := s.search("The machine turns slowly.", map[string]any{"sourceId": small, "hybrid": hybrid}).Results
		require.Len(t, found, 3)
		for _, hit := range found {
			require.Equal(t, small, hit.SourceID)
		}
	}
}

// Nothing that a browser would run leaves the service as what it runs.
func TestFiles_5_MarkupIsNeverServedAsSuch(t *testing.T) {
	s := begin(t)
	const page, html = "<html><script>alert(1)</script>The door must be shut.</html>", "text/html"
	s.refusedAs("INVALID_ARGUMENT", "memory/knowledge/upload-url", map[string]any{"mimeType": html, "fileSize": len(page)})
	s.refusedAs("INVALID_ARGUMENT", "memory/knowledge/ingest", map[string]any{"source": "inline", "file": inlineFile([]byte(page), html)})
	u := s.uploadURL(len(page), plainText)
	code, _ := put(t, u.UploadURL, html, strings.NewReader(page))
	require.Equal(t, http.StatusBadRequest, code)
	code, _ = put(t, u.UploadURL, plainText, strings.NewReader(page))
	require.Equal(t, http.StatusOK, code)
	status := s.broughtIn(s.ingestAs(map[string]any{"source": "fileRef", "fileRef": u.FileRef, "mimeType": plainText}), "completed")
	for _, address := range []string{status.OriginalDownloadURL, status.CanonicalMdDownloadURL} {
		answer, content := get(t, address, "")
		require.Equal(t, page, strings.TrimSpace(string(content)))
		require.NotContains(t, answer.Header.Get("content-type"), "html")
		require.Equal(t, "nosniff", answer.Header.Get("x-content-type-options"))
		require.True(t, strings.HasPrefix(answer.Header.Get("content-disposition"), "attachment"))
	}
}
