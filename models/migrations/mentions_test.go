package migrations_test

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/migrations"
	"github.com/redline-svc/redline/models/modelstest"
	"github.com/redline-svc/redline/models/pgtest"
)

// storedThreads are a document with more annotations than are looked at together, each with
// a comment, and what some of these say.
var storedThreads = []string{
	`INSERT INTO organizations (workspace_id, organization_id, name) VALUES ('ws_test', 'acme', 'acme')`,
	`INSERT INTO documents (workspace_id, organization_key, document_id, name, default_access) SELECT 'ws_test', key, 'd', 'd', 'public' FROM organizations`,
	`INSERT INTO annotations (workspace_id, annotation_id, document_key, author_id, author, kind, comment_type, status_id, status, visibility,
    created_ms, updated_ms, comment_count, last_seq, last_author, other_seq, thread_bytes)
SELECT 'ws_test', 'n' || n, key, 'ann', '{}', 'comment', 'manual', 'OPEN', '{}', 'public', 1, n, 1, 1, 'ann', 0, 1 FROM documents, generate_series(1, 1200) n`,
	`INSERT INTO comments (annotation_key, seq, comment_id, workspace_id, comment_text, comment_html, text_available, resolver_used, author_id, author, created_ms, updated_ms)
SELECT key, 1, 1, 'ws_test', CASE annotation_id WHEN 'n1' THEN '{{bob}} and {{ cat }}, {{bob}}' WHEN 'n2' THEN '{{a{b}} {{}} {{x' || chr(10) || 'y}}'
        WHEN 'n1200' THEN '{{{bob}}}' ELSE 'nobody' END,
    CASE annotation_id WHEN 'n3' THEN '<p title="{{no}}">{{d<b>an</b>}} {{R&amp;D}}</p><!-- {{no}} --><script>{{no}}</script> <i>{{eve}}</i><style>{{no}}</style>' ELSE '' END,
    true, false, 'ann', '{}', 1, 1 FROM annotations`,
}

// Whom stored comments tag is found when the schema comes to know it.
func TestMentionsOfStoredComments(t *testing.T) {
	t.Parallel()
	url := pgtest.Empty(t)
	require.NoError(t, migrations.MigrateTo(t.Context(), url, 102))
	db, err := pg.Open(t.Context(), url, 2)
	require.NoError(t, err)
	defer db.Close()
	modelstest.AddWorkspace(t, db, modelstest.Workspace)
	for _, statement := range storedThreads {
		_, err := db.Pool.Exec(t.Context(), statement)
		require.NoError(t, err, statement)
	}
	require.NoError(t, migrations.Migrate(t.Context(), url))
	rows, err := db.Pool.Query(t.Context(), `SELECT annotation_id || ' ' || updated_ms || ' ' || user_id FROM annotation_mentions ORDER BY annotation_key, user_id`)
	require.NoError(t, err)
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	require.Equal(t, []string{"n1 1  cat ", "n1 1 bob", "n3 3 R&D", "n3 3 dan", "n3 3 eve", "n1200 1200 bob"}, found)
}
