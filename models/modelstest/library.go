package modelstest

import (
	"crypto/sha256"
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/knowledge"
	"github.com/redline-svc/redline/models/pgtest"
	"github.com/redline-svc/redline/models/queue"
	"github.com/redline-svc/redline/models/search"
	"github.com/redline-svc/redline/models/vector"
)

// Fill gives a workspace sources until it holds that many.
func (l *Library) Fill(workspaceID string, sources int) {
	l.t.Helper()
	l.Exec(`INSERT INTO sources (workspace_id, id, source_type, created_at, newest)
SELECT $1, 'src_filled' || n, 'inline', clock_timestamp(), 1 FROM generate_series(1, $2 - (SELECT count(*) FROM sources WHERE workspace_id = $1)) n`,
		workspaceID, sources)
}

// Named are the items of an answer: kind, then text.
func (l *Library) Named(x search.VectorIndex, q search.Query) []string {
	l.t.Helper()
	found, err := l.Search(l.t.Context(), "ws_one", x, q)
	require.NoError(l.t, err)
	list := []string{}
	for _, item := range found.Items {
		kind := map[vector.Corpus]string{vector.Chunks: "chunk ", vector.Rules: "rule "}[item.Corpus]
		list = append(list, kind+item.Text)
	}
	return list
}

// Library is a store of knowledge with two workspaces.
type Library struct {
	*knowledge.Knowledge
	*search.Searches
	t  testing.TB
	DB *pg.DB
}

// NewLibrary makes a Library.
func NewLibrary(t testing.TB) *Library {
	t.Helper()
	l := &Library{t: t, DB: pgtest.New(t)}
	l.Knowledge = knowledge.New(l.DB)
	l.Searches = search.New(l.DB, l.Knowledge)
	l.Exec(`INSERT INTO owners (id, email_key) VALUES ('usr_1', 'a@example.com')`)
	for i, name := range []string{"ws_one", "ws_two"} {
		l.Exec(`INSERT INTO workspaces (id, owner_id, name, name_key, owner_email, owner_name, token_mac, hash_key_id, token_sealed)
VALUES ($1, 'usr_1', $1, $1, 'a@example.com', 'a', $2, 'h', $3)`, name, BytesOf(i), []byte("\x01\x01k"))
	}
	return l
}

// BytesOf returns 32 bytes that stand for a number.
func BytesOf(i int) []byte {
	sum := sha256.Sum256([]byte(strconv.Itoa(i)))
	return sum[:]
}

// Exec runs a statement.
func (l *Library) Exec(sql string, args ...any) {
	l.t.Helper()
	_, err := l.DB.Pool.Exec(l.t.Context(), sql, args...)
	require.NoError(l.t, err)
}

// Source is an inline source with this content.
func Source(content string) knowledge.NewSource {
	sum := sha256.Sum256([]byte(content))
	id := knowledge.NewSourceID()
	return knowledge.NewSource{ID: id, Type: "inline", File: knowledge.SourceFile{Name: "a.txt", MimeType: "text/plain", Size: int64(len(content)), SHA256: sum[:], BlobKey: id}}
}

// ClaimVersions claims up to so many versions that are due a run.
func (l *Library) ClaimVersions(most int) []knowledge.VersionRef {
	l.t.Helper()
	batch, err := queue.New(l.DB).Claim(l.t.Context(), queue.Versions, "", most)
	require.NoError(l.t, err)
	claimed := []knowledge.VersionRef{}
	for _, c := range batch.Rows {
		sourceID, version := knowledge.VersionOf(c.Key)
		claimed = append(claimed, knowledge.VersionRef{WorkspaceID: c.WorkspaceID, SourceID: sourceID, Version: version})
	}
	return claimed
}

// Live brings a source through all stages; each text is a chunk, and a rule
// where it says so.
func (l *Library) Live(workspaceID string, texts ...string) knowledge.VersionRef {
	l.t.Helper()
	v := l.Staged(workspaceID, texts...)
	require.NoError(l.t, l.Complete(l.t.Context(), v))
	return v
}

// Staged brings a source through all stages but the last.
func (l *Library) Staged(workspaceID string, texts ...string) knowledge.VersionRef {
	l.t.Helper()
	ctx := l.t.Context()
	accepted, err := l.Accept(ctx, workspaceID, Source(fmt.Sprint(texts, time.Now().UnixNano())))
	require.NoError(l.t, err)
	v := knowledge.VersionRef{WorkspaceID: workspaceID, SourceID: accepted.SourceID, Version: 1}
	require.Contains(l.t, l.ClaimVersions(100), v)
	l.Begin(v, knowledge.StageConverting)
	require.NoError(l.t, l.Converted(ctx, v, "canonical", []byte(`{"pages":1}`)))
	chunks, rules := make([]knowledge.StoredChunk, len(texts)), make([]knowledge.StoredRule, len(texts))
	for i, text := range texts {
		chunks[i] = knowledge.StoredChunk{Content: text, Tokens: 1}
		identity := sha256.Sum256([]byte(text))
		rules[i] = knowledge.StoredRule{ID: "rule_" + v.SourceID + strconv.Itoa(i), Content: text, Category: "c", Identity: identity[:]}
	}
	l.Begin(v, knowledge.StageChunking)
	require.NoError(l.t, l.StoreChunks(ctx, v, chunks, "makers"))
	l.Begin(v, knowledge.StageRules)
	require.NoError(l.t, l.StoreRules(ctx, v, rules, []byte(`{"rulesSkipped":2}`)))
	l.Begin(v, knowledge.StageEmbedding)
	require.NoError(l.t, l.FinishStage(ctx, v, knowledge.StageEmbedding))
	l.Begin(v, knowledge.StageIndexing)
	require.NoError(l.t, l.MarkIndexed(ctx, v, l.Generation().ID))
	return v
}

// Generation is the generation of the index; the first one is of the model m1.
func (l *Library) Generation() *knowledge.Generation {
	l.t.Helper()
	g, err := l.FirstGeneration(l.t.Context(), "m1", []float32{1})
	require.NoError(l.t, err)
	return g
}

// Begin begins a stage that must have something to do.
func (l *Library) Begin(v knowledge.VersionRef, stage string) {
	l.t.Helper()
	work, err := l.BeginStage(l.t.Context(), v, stage)
	require.NoError(l.t, err)
	require.False(l.t, work.Ended || work.Beyond, stage)
}

// Known compares the addresses that there are, with their states.
func (l *Library) Known(want ...string) {
	l.t.Helper()
	rows, err := l.DB.Pool.Query(l.t.Context(), `SELECT path || ': ' || state FROM uploads ORDER BY path`)
	require.NoError(l.t, err)
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(l.t, err)
	require.Equal(l.t, want, found)
}

// Uploaded makes an address that has its file, kept under key.
func (l *Library) Uploaded(path string) {
	l.t.Helper()
	ctx := l.t.Context()
	_, err := l.IssueUpload(ctx, knowledge.Upload{WorkspaceID: "ws_one", Path: path, MimeType: "text/plain", FileName: "a", Size: 1}, BytesOf(1))
	require.NoError(l.t, err)
	u, err := l.UploadByRef(ctx, "ws_one", path)
	require.NoError(l.t, err)
	won, err := l.FinishUpload(ctx, u, "key", BytesOf(2))
	require.NoError(l.t, err)
	require.True(l.t, won)
}

// SomebodyWaits returns once a statement of another one waits for a lock.
func (l *Library) SomebodyWaits() {
	l.t.Helper()
	require.Eventually(l.t, func() bool {
		var waiting bool
		err := l.DB.Pool.QueryRow(l.t.Context(), `SELECT EXISTS (SELECT FROM pg_stat_activity
WHERE datname = current_database() AND wait_event_type = 'Lock')`).Scan(&waiting)
		return err == nil && waiting
	}, time.Minute, time.Millisecond)
}

// ScopedTo gives a source a scope; empty ids are none.
func (l *Library) ScopedTo(v knowledge.VersionRef, organizationID, documentID string) knowledge.VersionRef {
	l.t.Helper()
	l.Exec(`UPDATE sources SET (organization_key, document_key) = (SELECT o.organization_key, o.document_key FROM open_subjects($1, $2, $3) o)
WHERE workspace_id = $1 AND id = $4`, v.WorkspaceID, pg.Optional(organizationID), pg.Optional(documentID), v.SourceID)
	return v
}
