package documents

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/redline-svc/redline/bench/measure"
	"github.com/redline-svc/redline/tests/kit/client"
)

// Service is the service with a database of its own, and a workspace in it.
type Service struct {
	Rows      *pgxpool.Pool
	Workspace *client.Workspace
}

const (
	// fullRows and smallRows are annotations of the two documents that are migrated,
	// each with judgments and sources.
	fullRows, smallRows      = 100_000, 1_000
	judgments, sources       = 10_000, 100
	largeRows                = 1_000_000
	chains, depth            = 500, 20
	reads                    = 200
	blocks                   = 5
	switchGoal, deletionGoal = 50, 1000
	foldersGoal, accessGoal  = 50, 1.5
	switchRatio              = 1.5
	full, small, emptyOne    = "full", "small", "empty"
)

// Measure returns the rows of this package.
func Measure(ctx context.Context, of Service) ([]measure.Row, error) {
	var rows []measure.Row
	for _, part := range []func(context.Context) ([]measure.Row, error){of.switches, of.folders, of.deletion} {
		found, err := part(ctx)
		if err != nil {
			return rows, err
		}
		rows = append(rows, found...)
	}
	return rows, nil
}

func (s Service) call(ctx context.Context, operation string, data map[string]any) error {
	_, err := client.Call[json.RawMessage](ctx, s.Workspace.Keyed, operation, data)
	return err
}

func (s Service) exec(ctx context.Context, statements ...string) error {
	for _, statement := range statements {
		if _, err := s.Rows.Exec(ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}

// annotate adds one annotation and makes what is missing.
func (s Service) annotate(ctx context.Context, organization, document string, create bool) error {
	return s.call(ctx, "commentannotations/add", map[string]any{
		"organizationId": organization, "documentId": document, "createOrganization": create, "createDocument": create,
		"commentAnnotations": []any{map[string]any{"commentData": []any{map[string]any{
			"commentText": "Which year is this?", "from": map[string]any{"userId": "ann"},
		}}}},
	})
}

// multiply copies the one annotation of a document until it has so many, each with
// its comment.
func (s Service) multiply(ctx context.Context, document string, n int) error {
	return s.exec(ctx,
		fmt.Sprintf(`INSERT INTO annotations OVERRIDING USER VALUE
SELECT (jsonb_populate_record(a, jsonb_build_object('annotation_id', a.annotation_id || '-' || n))).*
FROM annotations a JOIN documents d ON d.key = a.document_key AND d.document_id = '%s' CROSS JOIN generate_series(2, %d) n`, document, n),
		`INSERT INTO comments SELECT (jsonb_populate_record(c, jsonb_build_object('annotation_key', a.key))).*
FROM annotations a JOIN comments c ON c.ctid = (SELECT min(ctid) FROM comments)
WHERE NOT EXISTS (SELECT FROM comments o WHERE o.annotation_key = a.key)`,
		`VACUUM ANALYZE annotations, comments`)
}

// deletion deletes an organization with a million annotations, and one without any.
func (s Service) deletion(ctx context.Context) ([]measure.Row, error) {
	for _, organization := range []string{"large", emptyOne} {
		if err := s.annotate(ctx, organization, organization, true); err != nil {
			return nil, err
		}
	}
	if err := s.multiply(ctx, "large", largeRows); err != nil {
		return nil, err
	}
	took := map[string]float64{}
	for _, organization := range []string{emptyOne, "large"} {
		began := time.Now()
		if err := s.call(ctx, "organizations/delete", map[string]any{"organizationIds": []string{organization}}); err != nil {
			return nil, err
		}
		took[organization] = float64(time.Since(began).Microseconds()) / 1000
	}
	return []measure.Row{measure.Below(deletionGoal, measure.Row{
		Name: "deleting an organization with 1,000,000 annotations, answered", Unit: "ms", Measured: took["large"],
		What: "one with one annotation", Against: took[emptyOne],
	})}, nil
}
