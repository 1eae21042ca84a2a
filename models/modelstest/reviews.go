package modelstest

import (
	"cmp"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/knowledge"
	"github.com/redline-svc/redline/models/vector"
)

// Review is a judgment of which the index has the vectors.
type Review struct {
	ID, Reviewer string
	// Decision is approve where it is empty, ContentType workflow.
	Decision, ContentType string
	// OrganizationID and DocumentID are what it is about; empty for none.
	OrganizationID, DocumentID string
	Reasoning, Category        string
	Age                        time.Duration
	Review, Content            []float32
}

const insertReview = `
WITH made AS (
    INSERT INTO judgments (workspace_id, record_id, origin, origin_id, decision, reasoning, content, content_type, confidence, judge_type,
           user_id, user_name, organization_key, document_key, created_at, category)
    SELECT $1, $2, 'step', $2, $3, $4, '', $5, 0.75, 'human', $6, $6, o.organization_key, o.document_key,
           date_trunc('milliseconds', clock_timestamp()) - $7::interval, $8
    FROM (SELECT) one LEFT JOIN LATERAL open_subjects($1, $9, $10) o ON $9::text IS NOT NULL
    RETURNING key
), known AS (
    INSERT INTO judgment_index (key, workspace_id, indexed) SELECT key, $1, true FROM made
)
INSERT INTO judgment_vectors (key, model, workspace_id, revision, review, content) SELECT key, $11, $1, 1, $12, $13 FROM made`

// AddReviews makes judgments in a workspace, with vectors of the model that serves.
func AddReviews(t testing.TB, db *pg.DB, workspaceID string, reviews ...Review) {
	t.Helper()
	serving, err := knowledge.New(db).FirstGeneration(t.Context(), "m1", []float32{1})
	require.NoError(t, err)
	b := &pgx.Batch{}
	for _, r := range reviews {
		var content []byte
		if r.Content != nil {
			content = vector.Bytes(r.Content)
		}
		b.Queue(insertReview, workspaceID, r.ID, cmp.Or(r.Decision, "approve"), r.Reasoning, cmp.Or(r.ContentType, "workflow"), r.Reviewer, r.Age,
			pg.Optional(r.Category), pg.Optional(r.OrganizationID), pg.Optional(r.DocumentID), serving.Model, vector.Bytes(r.Review), content)
	}
	require.NoError(t, db.Pool.SendBatch(t.Context(), b).Close())
}
