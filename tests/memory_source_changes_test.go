package tests

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
	"github.com/redline-svc/redline/tests/proxy"
)

const (
	deleteSource = "memory/knowledge/delete"
	retrySource  = "memory/knowledge/retry"
)

type removedSource struct {
	Status, SourceID            string
	DeletedChunks, DeletedRules int
}

// removed deletes a source.
func (s *scene) removed(sourceID string, force bool) (gone removedSource) {
	s.t.Helper()
	s.call(deleteSource, withSource(sourceID, map[string]any{"force": force}), &gone)
	require.Equal(s.t, []string{"deleted", sourceID}, []string{gone.Status, gone.SourceID})
	return gone
}

// retried brings a source in again.
func (s *scene) retried(sourceID string) {
	s.t.Helper()
	var answer ingested
	s.call(retrySource, map[string]any{"sourceId": sourceID}, &answer)
	require.Equal(s.t, []string{"processing", sourceID}, []string{answer.Status, answer.SourceID})
	require.NotEmpty(s.t, answer.Message)
}

// keptFiles are those there are of the workspace's sources.
func (s *scene) keptFiles() (names []string) {
	s.t.Helper()
	folder := filepath.Join(shared.Env["REDLINE_BLOB_DIR"], "sources", s.workspace.ID)
	err := filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			names = append(names, strings.TrimPrefix(path, folder+"/"))
		}
		return err
	})
	require.NoError(s.t, err)
	return names
}

// A deleted source is returned by nothing, while an index that is away still holds it;
// and nothing of it is left once that is back.
func TestKnowledgeDelete_1and2and4_NothingIsLeft(t *testing.T) {
	l := newLab(t)
	index := beforePart(t, "REDLINE_WEAVIATE_ADDR")
	s := l.begin(l.start("serve", "REDLINE_WEAVIATE_ADDR="+index.Addr()))
	kept, gone, twin := s.ingest(manual(2)), s.ingest(housePaper), s.ingest(housePaper)
	for _, source := range []string{kept, gone, twin} {
		s.broughtIn(source, "completed")
	}
	files := s.status(gone)
	require.Equal(t, gone, s.status(twin).DedupOf)
	index.Down()
	deleted := s.removed(gone, false)
	require.Equal(t, []int{2, 1}, []int{deleted.DeletedChunks, deleted.DeletedRules})
	s.withoutSources(gone)
	require.Equal(t, []string{twin, kept}, sourceIDs(s.newest(map[string]any{})))
	require.Nil(t, s.text(gone))
	require.Empty(t, s.status(twin).DedupOf, "it is the first one now")
	require.Equal(t, [6]int{3: 2, 4: 4, 5: 3}, s.stats())
	for _, operation := range []string{deleteSource, retrySource, listRules} {
		require.Equal(t, "unknown-source", s.refusedAs("NOT_FOUND", operation, map[string]any{"sourceId": gone}).Reason)
	}
	for _, address := range []string{files.OriginalDownloadURL, files.CanonicalMdDownloadURL} {
		require.Equal(t, http.StatusNotFound, ask(t, http.MethodGet, address, "", nil).HTTP)
	}
	s.removed(twin, false)
	again := s.ingest(housePaper)
	require.NotContains(t, []string{gone, twin}, again)
	require.Empty(t, s.status(again).DedupOf)
	require.NoError(t, index.Up())
	s.broughtIn(again, "completed")
	l.onlySources(kept, again)
	for _, file := range s.keptFiles() {
		require.True(t, strings.HasPrefix(file, kept+"/") || strings.HasPrefix(file, again+"/"), file)
	}
}

// Force ends what is in work, wherever it stands, and leaves nothing of it.
func TestKnowledgeDelete_3_ForceDuringEmbedding(t *testing.T) {
	l := newLab(t)
	s := l.begin(l.start("serve"))
	held := l.Rows.HoldRequest(proxy.Says("INSERT INTO vectors"))
	source := s.ingest(manual(12))
	reached(t, "its vectors are about to be stored", held.Reached())
	refused := s.refusedAs("ABORTED", deleteSource, map[string]any{"sourceId": source})
	require.Equal(t, "ingest-in-progress", refused.Reason)
	require.Equal(t, http.StatusConflict, refused.HTTP)
	require.Equal(t, "embedding", s.status(source).Progress.Stage)
	require.Zero(t, s.removed(source, true).DeletedChunks)
	held.Release()
	s.withoutSources(source)
	kept := s.ingest(housePaper)
	s.broughtIn(kept, "completed")
	l.onlySources(kept)
	l.atRest()
}

// Of many who delete a source, or try it again meanwhile, each is told what was so.
func TestKnowledgeDelete_5_RacesAreDecided(t *testing.T) {
	s := begin(t)
	source := s.ingest(" \n")
	s.broughtIn(source, "failed")
	reasons := make([]string, 12)
	together(len(reasons), func(i int) {
		operation, data := deleteSource, map[string]any{"sourceId": source, "force": true}
		if i%2 == 0 {
			operation, data = retrySource, map[string]any{"sourceId": source}
		}
		_, err := client.Call[ingested](s.ctx, s.keyed, operation, data)
		if failure := client.Refusal(err); failure != nil {
			reasons[i] = failure.Reason
		}
	})
	deletes := 0
	for i, reason := range reasons {
		if i%2 == 1 && reason == "" {
			deletes++
		}
		require.Contains(t, []string{"", "not-failed", "unknown-source"}, reason)
	}
	require.Equal(t, 1, deletes)
	s.withoutSources(source)
}

// Whoever replaces a source while others delete it wins or finds it gone, and nothing of it is
// left half alive: neither a version whose source is gone nor what one had brought in.
func TestKnowledgeDelete_5_RacesWithUpdatesLeaveNothing(t *testing.T) {
	l := newLab(t)
	s := l.lexical("serve")
	kept := s.ingest(housePaper)
	s.broughtIn(kept, "completed")
	for range 5 {
		source := s.ingest(marked("former", 10))
		s.broughtIn(source, "completed")
		reasons := make([]string, 9)
		together(len(reasons), func(i int) {
			operation, data := deleteSource, map[string]any{"sourceId": source, "force": i%3 == 1}
			if i%3 == 0 {
				operation, data = updateKnowledge, map[string]any{"sourceId": source, "newContent": marked("latter", 10)}
			}
			_, err := client.Call[json.RawMessage](s.ctx, s.keyed, operation, data)
			if failure := client.Refusal(err); failure != nil {
				reasons[i] = failure.Reason
			} else {
				fine(t, err)
			}
		})
		deletes := 0
		for i, reason := range reasons {
			switch {
			case i%3 != 0 && reason == "":
				deletes++
			case i%3 == 2 && reason == "ingest-in-progress":
			default:
				require.Contains(t, []string{"", "unknown-source"}, reason, "%d", i)
			}
		}
		require.Equal(t, 1, deletes)
		s.withoutSources(source)
	}
	l.onlySources(kept)
	for _, file := range s.keptFiles() {
		require.True(t, strings.HasPrefix(file, kept+"/"), file)
	}
	l.atRest()
}

func TestKnowledgeRetry_2and3_OneOfTenRunsAndFailsAgain(t *testing.T) {
	l := newLab(t)
	worker := l.start("worker")
	s := l.begin(l.start("api"))
	locked := "%PDF-1.4\n1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj\n2 0 obj << /Type /Pages /Kids [3 0 R] /Count 1 >> endobj\n" +
		"3 0 obj << /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] >> endobj\ntrailer << /Root 1 0 R /Size 4 /ID [<00><00>] " +
		"/Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <" + strings.Repeat("01", 32) + "> /U <" + strings.Repeat("02", 32) + "> >> >>\n%%EOF\n"
	source := s.ingestAs(map[string]any{"source": "inline", "file": inlineFile([]byte(locked), pdfType)})
	before := s.broughtIn(source, "failed")
	require.Equal(t, "file-encrypted", before.FailureReason)
	worker.Kill() // so that what runs again does not fail again at once
	reasons := make([]string, 10)
	together(len(reasons), func(i int) {
		_, err := client.Call[ingested](s.ctx, s.keyed, retrySource, map[string]any{"sourceId": source})
		if failure := client.Refusal(err); failure != nil {
			reasons[i] = failure.Status + " " + failure.Reason
		}
	})
	slices.Sort(reasons)
	require.Empty(t, reasons[0], "one makes it run")
	require.Equal(t, slices.Repeat([]string{"FAILED_PRECONDITION not-failed"}, 9), reasons[1:])
	require.Equal(t, "processing", s.status(source).Status)
	l.again(worker)
	after := s.broughtIn(source, "failed")
	require.Equal(t, []any{"file-encrypted", 1}, []any{after.FailureReason, after.Version})
	require.Equal(t, "unknown-source", s.refusedAs("NOT_FOUND", retrySource, map[string]any{"sourceId": "src_none"}).Reason)
}

// retriedTooEarly is why a source that has not failed is not brought in again.
func (s *scene) retriedTooEarly(sourceID string) string {
	s.t.Helper()
	return s.refusedAs("FAILED_PRECONDITION", retrySource, map[string]any{"sourceId": sourceID}).Reason
}

// halfway is an embedding endpoint that takes one batch of texts and refuses all others
// until it is opened. fresh counts the texts that it takes from then on.
func halfway(t *testing.T) (address string, fresh *atomic.Int64, open func()) {
	t.Helper()
	behind, err := url.Parse(spelled(t))
	require.NoError(t, err)
	forward := httputil.NewSingleHostReverseProxy(behind)
	var taken, opened atomic.Bool
	fresh = &atomic.Int64{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the caller has gone
		}
		texts := bytes.Count(body, []byte("must be oiled"))
		switch {
		case opened.Load():
			fresh.Add(int64(texts))
		case texts > 0 && !taken.CompareAndSwap(false, true):
			http.Error(w, "no", http.StatusBadRequest)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		forward.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL, fresh, func() { opened.Store(true) }
}

// A version that the model failed embeds only what it had not embedded.
func TestKnowledgeRetry_1_WhatIsEmbeddedStays(t *testing.T) {
	const sections = 100
	l := newLab(t)
	model, fresh, open := halfway(t)
	s := l.begin(l.start("serve", lettersAt(model)...))
	source := s.ingest(manual(sections))
	within(t, ingestionTime, "some of its chunks are embedded", func() bool { return s.status(source).Progress.ChunksDone > 0 })
	rows := l.rows()
	within(t, ingestionTime, "it fails once the fault has lasted for long", func() bool {
		_, err := rows.Exec(t.Context(), `UPDATE source_versions SET fault_since = fault_since - interval '7 hours' WHERE stage = 'embedding'`)
		require.NoError(t, err)
		return s.status(source).Status == "failed"
	})
	require.Equal(t, "embedding-failed", s.status(source).FailureReason)
	require.Empty(t, s.rules(source))
	var known int64
	require.NoError(t, rows.QueryRow(t.Context(), `SELECT count(*) FROM vectors`).Scan(&known))
	require.Positive(t, known)
	open()
	s.retried(source)
	s.broughtIn(source, "completed")
	require.Equal(t, 2*sections-known, fresh.Load())
	require.Len(t, s.rules(source), sections)
	l.atRest(triedStage)
}

// What an older converter could not read is converted anew, under the same version.
func TestKnowledgeRetry_4_ANewerConverterReadsIt(t *testing.T) {
	l := newLab(t)
	s := l.begin(l.start("serve"))
	source := s.ingest(housePaper)
	s.broughtIn(source, "completed")
	rows := l.rows()
	for _, change := range []string{
		`UPDATE sources SET live = NULL`,
		`UPDATE source_versions SET state = 'failed', stage = 'failed', failure_reason = 'file-corrupt', failure_message = 'm',
		        makers = 'extract/0 chunk/0 rules/0', completed_at = NULL, done = 4`,
		`DELETE FROM chunks`, `DELETE FROM rules`,
	} {
		_, err := rows.Exec(t.Context(), change)
		require.NoError(t, err)
	}
	require.Equal(t, "file-corrupt", s.status(source).FailureReason)
	require.Empty(t, s.search("gate").Results)
	require.Equal(t, [6]int{3: 1}, s.stats())
	s.retried(source)
	status := s.broughtIn(source, "completed")
	require.Equal(t, []any{1, 1, 2, 1}, []any{status.Version, *status.LiveVersion, *status.ChunkCount, *status.ExtractedRulesCount})
	require.Empty(t, status.FailureReason)
	require.Len(t, s.search("gate").Results, 2)
	require.Equal(t, [6]int{3: 1, 4: 2, 5: 1}, s.stats())
	require.Equal(t, "not-failed", s.retriedTooEarly(source))
	report, err := l.checkIndex()
	require.NoError(t, err)
	require.Equal(t, indexReport{Workspaces: 1, Versions: 1, Items: 3}, report)
	l.atRest()
}
