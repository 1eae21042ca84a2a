package memory

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

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/proxy"
)

// retried brings a source in again.
func retried(env *kit.Env, sourceID string) {
	env.T.Helper()
	var answer redline.IngestResult
	env.Call(client.RetrySource, map[string]any{"sourceId": sourceID}, &answer)
	require.Equal(env.T, []string{"processing", sourceID}, []string{string(answer.Status), answer.SourceID})
	require.NotEmpty(env.T, answer.Message)
}

// keptFiles are those there are of the workspace's sources.
func keptFiles(env *kit.Env) (names []string) {
	env.T.Helper()
	folder := filepath.Join(kit.Shared.Env["REDLINE_BLOB_DIR"], "sources", env.Workspace.ID)
	err := filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			names = append(names, strings.TrimPrefix(path, folder+"/"))
		}
		return err
	})
	require.NoError(env.T, err)
	return names
}

// A deleted source is returned by nothing, while an index that is away still holds it;
// and nothing of it is left once that is back.
func TestKnowledgeDelete_1and2and4_NothingIsLeft(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	index := kit.BeforePart(t, "REDLINE_WEAVIATE_ADDR")
	env := isolated.NewWorkspace(isolated.StartProcess("serve", "REDLINE_WEAVIATE_ADDR="+index.Addr()))
	kept, gone, twin := kit.Ingest(env, kit.Manual(2)), kit.Ingest(env, kit.HousePaper), kit.Ingest(env, kit.HousePaper)
	for _, source := range []string{kept, gone, twin} {
		kit.BroughtIn(env, source, "completed")
	}
	files := kit.Status(env, gone)
	require.Equal(t, gone, kit.Status(env, twin).DedupOf)
	index.Down()
	deleted := kit.DeleteSource(env, gone, false)
	require.Equal(t, []int{2, 1}, []int{int(deleted.DeletedChunks), int(deleted.DeletedRules)})
	kit.WithoutSources(env, gone)
	require.Equal(t, []string{twin, kept}, kit.SourceIDs(kit.NewestSources(env, map[string]any{})))
	require.Nil(t, textOf(env, gone))
	require.Empty(t, kit.Status(env, twin).DedupOf, "it is the first one now")
	require.Equal(t, [6]int{3: 2, 4: 4, 5: 3}, kit.Stats(env))
	for _, operation := range []string{client.DeleteSource, client.RetrySource, client.ListRules} {
		require.Equal(t, redline.ErrorDetailsReasonUnknownSource, env.RefusedAs("NOT_FOUND", operation, map[string]any{"sourceId": gone}).Reason)
	}
	for _, address := range []string{files.OriginalDownloadURL, files.CanonicalMdDownloadURL} {
		require.Equal(t, http.StatusNotFound, kit.Ask(t, http.MethodGet, address, "", nil).HTTP)
	}
	kit.DeleteSource(env, twin, false)
	again := kit.Ingest(env, kit.HousePaper)
	require.NotContains(t, []string{gone, twin}, again)
	require.Empty(t, kit.Status(env, again).DedupOf)
	require.NoError(t, index.Up())
	kit.BroughtIn(env, again, "completed")
	isolated.OnlySources(kept, again)
	for _, file := range keptFiles(env) {
		require.True(t, strings.HasPrefix(file, kept+"/") || strings.HasPrefix(file, again+"/"), file)
	}
}

// Force ends what is in work, wherever it stands, and leaves nothing of it.
func TestKnowledgeDelete_3_ForceDuringEmbedding(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	env := isolated.NewWorkspace(isolated.StartProcess("serve"))
	held := isolated.Rows.HoldRequest(proxy.Says("INSERT INTO vectors"))
	source := kit.Ingest(env, kit.Manual(12))
	kit.RequireReached(t, "its vectors are about to be stored", held.Reached())
	refused := env.RefusedAs("ABORTED", client.DeleteSource, map[string]any{"sourceId": source})
	require.Equal(t, redline.ErrorDetailsReasonIngestInProgress, refused.Reason)
	require.Equal(t, http.StatusConflict, refused.HTTPStatus)
	require.Equal(t, "embedding", kit.Status(env, source).Progress.Stage)
	require.Zero(t, kit.DeleteSource(env, source, true).DeletedChunks)
	held.Release()
	kit.WithoutSources(env, source)
	kept := kit.Ingest(env, kit.HousePaper)
	kit.BroughtIn(env, kept, "completed")
	isolated.OnlySources(kept)
	isolated.AtRest()
}

// Of many who delete a source, or try it again meanwhile, each is told what was so.
func TestKnowledgeDelete_5_RacesAreDecided(t *testing.T) {
	env := kit.NewWorkspace(t)
	source := kit.Ingest(env, " \n")
	kit.BroughtIn(env, source, "failed")
	reasons := make([]string, 12)
	kit.Concurrently(len(reasons), func(i int) {
		operation, data := client.DeleteSource, map[string]any{"sourceId": source, "force": true}
		if i%2 == 0 {
			operation, data = client.RetrySource, map[string]any{"sourceId": source}
		}
		_, err := client.Call[redline.IngestResult](env.Ctx, env.Keyed, operation, data)
		if failure := redline.AsError(err); failure != nil {
			reasons[i] = string(failure.Reason)
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
	kit.WithoutSources(env, source)
}

// Whoever replaces a source while others delete it wins or finds it gone, and nothing of it is
// left half alive: neither a version whose source is gone nor what one had brought in.
func TestKnowledgeDelete_5_RacesWithUpdatesLeaveNothing(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	env := isolated.NewWorkspace(isolated.StartProcess("serve"))
	kept := kit.Ingest(env, kit.HousePaper)
	kit.BroughtIn(env, kept, "completed")
	for range 5 {
		source := kit.Ingest(env, marked("former", 10))
		kit.BroughtIn(env, source, "completed")
		reasons := make([]string, 9)
		kit.Concurrently(len(reasons), func(i int) {
			operation, data := client.DeleteSource, map[string]any{"sourceId": source, "force": i%3 == 1}
			if i%3 == 0 {
				operation, data = client.UpdateKnowledge, map[string]any{"sourceId": source, "newContent": marked("latter", 10)}
			}
			_, err := client.Call[json.RawMessage](env.Ctx, env.Keyed, operation, data)
			if failure := redline.AsError(err); failure != nil {
				reasons[i] = string(failure.Reason)
			} else {
				kit.NoError(t, err)
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
		kit.WithoutSources(env, source)
	}
	isolated.OnlySources(kept)
	for _, file := range keptFiles(env) {
		require.True(t, strings.HasPrefix(file, kept+"/"), file)
	}
	isolated.AtRest()
}

func TestKnowledgeRetry_2and3_OneOfTenRunsAndFailsAgain(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	worker := isolated.StartProcess("worker")
	env := isolated.NewWorkspace(isolated.StartProcess("api"))
	locked := "%PDF-1.4\n1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj\n2 0 obj << /Type /Pages /Kids [3 0 R] /Count 1 >> endobj\n" +
		"3 0 obj << /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] >> endobj\ntrailer << /Root 1 0 R /Size 4 /ID [<00><00>] " +
		"/Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <" + strings.Repeat("01", 32) + "> /U <" + strings.Repeat("02", 32) + "> >> >>\n%%EOF\n"
	source := kit.IngestAs(env, map[string]any{"source": "inline", "file": kit.InlineFile([]byte(locked), pdfType)})
	before := kit.BroughtIn(env, source, "failed")
	require.Equal(t, "file-encrypted", before.FailureReason)
	worker.Kill() // so that what runs again does not fail again at once
	reasons := make([]string, 10)
	kit.Concurrently(len(reasons), func(i int) {
		_, err := client.Call[redline.IngestResult](env.Ctx, env.Keyed, client.RetrySource, map[string]any{"sourceId": source})
		if failure := redline.AsError(err); failure != nil {
			reasons[i] = string(failure.Status) + " " + string(failure.Reason)
		}
	})
	slices.Sort(reasons)
	require.Empty(t, reasons[0], "one makes it run")
	require.Equal(t, slices.Repeat([]string{"FAILED_PRECONDITION not-failed"}, 9), reasons[1:])
	require.Equal(t, redline.IngestStatusStatusProcessing, kit.Status(env, source).Status)
	isolated.Restart(worker)
	after := kit.BroughtIn(env, source, "failed")
	require.Equal(t, []any{"file-encrypted", int64(1)}, []any{after.FailureReason, after.Version})
	require.Equal(t, redline.ErrorDetailsReasonUnknownSource, env.RefusedAs("NOT_FOUND", client.RetrySource, map[string]any{"sourceId": "src_none"}).Reason)
}

// retriedTooEarly is why a source that has not failed is not brought in again.
func retriedTooEarly(env *kit.Env, sourceID string) string {
	env.T.Helper()
	return string(env.RefusedAs("FAILED_PRECONDITION", client.RetrySource, map[string]any{"sourceId": sourceID}).Reason)
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

// impatient is the setting of processes that give an ingestion up soon after its first fault.
const impatient = "REDLINE_INGESTION_PATIENCE=2s"

// A version that the model failed embeds only what it had not embedded.
func TestKnowledgeRetry_1_WhatIsEmbeddedStays(t *testing.T) {
	const sections = 100
	isolated := kit.NewIsolatedStack(t)
	model, fresh, open := halfway(t)
	env := isolated.NewWorkspace(isolated.StartProcess("serve", append(kit.LettersAt(model), impatient)...))
	source := kit.Ingest(env, kit.Manual(sections))
	kit.RequireWithin(t, kit.IngestionTime, "some of its chunks are embedded", func() bool { return kit.Status(env, source).Progress.ChunksDone > 0 })
	rows := isolated.DB()
	kit.RequireWithin(t, kit.IngestionTime, "it fails once the fault has lasted for long", func() bool {
		return kit.Status(env, source).Status == "failed"
	})
	require.Equal(t, "embedding-failed", kit.Status(env, source).FailureReason)
	require.Empty(t, listRulesOf(env, source))
	var known int64
	require.NoError(t, rows.QueryRow(t.Context(), `SELECT count(*) FROM vectors`).Scan(&known))
	require.Positive(t, known)
	open()
	retried(env, source)
	kit.BroughtIn(env, source, "completed")
	require.Equal(t, 2*sections-known, fresh.Load())
	require.Len(t, listRulesOf(env, source), sections)
	isolated.AtRest(kit.TriedStage)
}

// What an older converter could not read is converted again, under the same version.
func TestKnowledgeRetry_4_ANewerConverterReadsIt(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	env := isolated.NewWorkspace(isolated.StartProcess("serve"))
	source := kit.Ingest(env, kit.HousePaper)
	kit.BroughtIn(env, source, "completed")
	rows := isolated.DB()
	for _, change := range []string{
		`UPDATE sources SET live = NULL`,
		`UPDATE source_versions SET state = 'failed', stage = 'failed', failure_reason = 'file-corrupt', failure_message = 'm',
		        makers = 'extract/0 chunk/0 rules/0', completed_at = NULL, done = 4`,
		`DELETE FROM chunks`, `DELETE FROM rules`,
	} {
		_, err := rows.Exec(t.Context(), change)
		require.NoError(t, err)
	}
	require.Equal(t, "file-corrupt", kit.Status(env, source).FailureReason)
	require.Empty(t, kit.Search(env, "gate").Results)
	require.Equal(t, [6]int{3: 1}, kit.Stats(env))
	retried(env, source)
	status := kit.BroughtIn(env, source, "completed")
	require.Equal(t, []any{int64(1), int64(1), int64(2), int64(1)}, []any{status.Version, *status.LiveVersion, status.ChunkCount, status.ExtractedRulesCount})
	require.Empty(t, status.FailureReason)
	require.Len(t, kit.Search(env, "gate").Results, 2)
	require.Equal(t, [6]int{3: 1, 4: 2, 5: 1}, kit.Stats(env))
	require.Equal(t, "not-failed", retriedTooEarly(env, source))
	report, err := isolated.CheckIndex()
	require.NoError(t, err)
	require.Equal(t, kit.IndexReport{Workspaces: 1, Versions: 1, Items: 3}, report)
	isolated.AtRest()
}
