package models_test

import (
	"crypto/sha256"
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models"
	"github.com/redline-svc/redline/models/pgtest"
	"github.com/redline-svc/redline/models/vector"
)

// fill gives a workspace sources until it holds that many.
func (l *library) fill(workspaceID string, sources int) {
	l.t.Helper()
	l.exec(`INSERT INTO sources (workspace_id, id, source_type, created_at, newest)
SELECT $1, 'src_filled' || n, 'inline', clock_timestamp(), 1 FROM generate_series(1, $2 - (SELECT count(*) FROM sources WHERE workspace_id = $1)) n`,
		workspaceID, sources)
}

// named are the items of an answer: kind, then text.
func (l *library) named(x models.VectorIndex, q models.KnowledgeQuery) []string {
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

// library is a store of knowledge with two workspaces.
type library struct {
	*models.Knowledge
	t  *testing.T
	db *models.DB
}

func newLibrary(t *testing.T) *library {
	t.Helper()
	l := &library{t: t, db: pgtest.New(t)}
	l.Knowledge = models.NewKnowledge(l.db)
	l.exec(`INSERT INTO owners (id, email_key) VALUES ('usr_1', 'a@example.com')`)
	for i, name := range []string{"ws_one", "ws_two"} {
		l.exec(`INSERT INTO workspaces (id, owner_id, name, name_key, owner_email, owner_name, token_mac, hash_key_id, token_sealed)
VALUES ($1, 'usr_1', $1, $1, 'a@example.com', 'a', $2, 'h', $3)`, name, bytesOf(i), []byte("\x01\x01k"))
	}
	return l
}

func bytesOf(i int) []byte {
	sum := sha256.Sum256([]byte(strconv.Itoa(i)))
	return sum[:]
}

func (l *library) exec(sql string, args ...any) {
	l.t.Helper()
	_, err := l.db.Pool.Exec(l.t.Context(), sql, args...)
	require.NoError(l.t, err)
}

func source(content string) models.NewSource {
	sum := sha256.Sum256([]byte(content))
	id := models.NewSourceID()
	return models.NewSource{ID: id, Type: "inline", File: models.File{Name: "a.txt", MimeType: "text/plain", Size: int64(len(content)), SHA256: sum[:], BlobKey: id}}
}

// live brings a source through all stages; each text is a chunk, and a rule
// where it says so.
func (l *library) live(workspaceID string, texts ...string) models.OwedVersion {
	l.t.Helper()
	v := l.staged(workspaceID, texts...)
	require.NoError(l.t, l.Complete(l.t.Context(), v))
	return v
}

func (l *library) staged(workspaceID string, texts ...string) models.OwedVersion {
	l.t.Helper()
	ctx := l.t.Context()
	accepted, err := l.Accept(ctx, workspaceID, source(fmt.Sprint(texts, time.Now().UnixNano())))
	require.NoError(l.t, err)
	v := models.OwedVersion{WorkspaceID: workspaceID, SourceID: accepted.SourceID, Version: 1}
	owed, err := l.ClaimVersions(ctx, 100)
	require.NoError(l.t, err)
	require.Contains(l.t, owed, v)
	l.begin(v, models.StageConverting)
	require.NoError(l.t, l.Converted(ctx, v, "canonical", bytesOf(1), []byte(`{"pages":1}`)))
	chunks, rules := make([]models.StoredChunk, len(texts)), make([]models.StoredRule, len(texts))
	for i, text := range texts {
		chunks[i] = models.StoredChunk{Content: text, Tokens: 1}
		identity := sha256.Sum256([]byte(text))
		rules[i] = models.StoredRule{ID: "rule_" + v.SourceID + strconv.Itoa(i), Content: text, Category: "c", Identity: identity[:]}
	}
	l.begin(v, models.StageChunking)
	require.NoError(l.t, l.StoreChunks(ctx, v, chunks, "makers"))
	l.begin(v, models.StageRules)
	require.NoError(l.t, l.StoreRules(ctx, v, rules, []byte(`{"rulesSkipped":2}`)))
	l.begin(v, models.StageEmbedding)
	require.NoError(l.t, l.FinishStage(ctx, v, models.StageEmbedding))
	l.begin(v, models.StageIndexing)
	require.NoError(l.t, l.Indexed(ctx, v, l.serving().ID))
	return v
}

// serving is the generation of the index; the first one is of the model m1.
func (l *library) serving() *models.Generation {
	l.t.Helper()
	g, err := l.FirstGeneration(l.t.Context(), "m1", []float32{1})
	require.NoError(l.t, err)
	return g
}

func (l *library) begin(v models.OwedVersion, stage string) {
	l.t.Helper()
	work, err := l.BeginStage(l.t.Context(), v, stage)
	require.NoError(l.t, err)
	require.False(l.t, work.Ended || work.Beyond, stage)
}

// known compares the addresses that there are, with their states.
func (l *library) known(want ...string) {
	l.t.Helper()
	rows, err := l.db.Pool.Query(l.t.Context(), `SELECT path || ': ' || state FROM uploads ORDER BY path`)
	require.NoError(l.t, err)
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(l.t, err)
	require.Equal(l.t, want, found)
}

// uploaded makes an address that has its file, kept under key.
func (l *library) uploaded(path string) {
	l.t.Helper()
	ctx := l.t.Context()
	_, err := l.IssueUpload(ctx, models.Upload{WorkspaceID: "ws_one", Path: path, MimeType: "text/plain", FileName: "a", Size: 1}, bytesOf(1))
	require.NoError(l.t, err)
	u, err := l.UploadByRef(ctx, "ws_one", path)
	require.NoError(l.t, err)
	won, err := l.FinishUpload(ctx, u, "key", bytesOf(2))
	require.NoError(l.t, err)
	require.True(l.t, won)
}

// somebodyWaits returns once a statement of another one waits for a lock.
func (l *library) somebodyWaits() {
	l.t.Helper()
	require.Eventually(l.t, func() bool {
		var waiting bool
		err := l.db.Pool.QueryRow(l.t.Context(), `SELECT EXISTS (SELECT FROM pg_stat_activity
WHERE datname = current_database() AND wait_event_type = 'Lock')`).Scan(&waiting)
		return err == nil && waiting
	}, time.Minute, time.Millisecond)
}
