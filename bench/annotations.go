package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/redline-svc/redline/bench/measure"
	"github.com/redline-svc/redline/tests/kit/client"
)

const (
	countedDocuments = 30
	countedEach      = 10_000
	largeRows        = 100_000
	countReads       = 30
	addedEach        = 200
	annotationBlocks = 5
)

// benchAnnotations counts the annotations of thirty documents of 10,000 each
// beside one SELECT by hand, and adds to a document of 100,000 beside one that
// has hardly any. The rows are copies of a real annotation, made by SQL.
func benchAnnotations(ctx context.Context, r *rig) ([]measure.Row, error) {
	return r.inApart(ctx, "annotations", func(a *apart) ([]measure.Row, error) {
		documents, err := a.annotated(ctx)
		if err != nil {
			return nil, err
		}
		counting, err := a.counting(ctx, documents)
		if err != nil {
			return nil, fmt.Errorf("counting: %w", err)
		}
		adding, err := a.adding(ctx)
		return []measure.Row{counting, adding}, err
	})
}

const large, small = "large", "small"

// annotate adds one annotation to a document.
func (a *apart) annotate(ctx context.Context, document string) error {
	_, err := client.Call[json.RawMessage](ctx, a.workspace.Keyed, "commentannotations/add", map[string]any{
		"organizationId": "acme", "documentId": document, "createOrganization": true, "createDocument": true,
		"commentAnnotations": []any{map[string]any{"commentData": []any{map[string]any{
			"commentText": "Which year is this?", "from": map[string]any{"userId": "ann", "name": "Ann"},
		}}}},
	})
	return err
}

// annotated fills the documents and returns those that are counted.
func (a *apart) annotated(ctx context.Context) ([]string, error) {
	documents := make([]string, countedDocuments)
	for i := range documents {
		documents[i] = fmt.Sprintf("counted-%d", i)
	}
	for _, document := range append([]string{large, small}, documents...) {
		if err := a.annotate(ctx, document); err != nil {
			return nil, err
		}
	}
	for _, statement := range []string{
		fmt.Sprintf(`INSERT INTO annotations (workspace_id, annotation_id, document_key, author_id, author, kind, comment_type, status_id,
       status, visibility, created_ms, updated_ms, comment_count, last_seq, last_author, other_seq, thread_bytes)
SELECT t.workspace_id, t.annotation_id || '-' || n, t.document_key, t.author_id, t.author, t.kind, t.comment_type, t.status_id,
       t.status, t.visibility, t.created_ms + n, t.updated_ms + n, t.comment_count, t.last_seq, t.last_author, t.other_seq, t.thread_bytes
FROM annotations t JOIN documents d ON d.key = t.document_key
CROSS JOIN LATERAL generate_series(2, CASE WHEN d.document_id = '%s' THEN %d WHEN d.document_id = '%s' THEN 1 ELSE %d END) n`,
			large, largeRows, small, countedEach),
		`INSERT INTO comments (annotation_key, seq, comment_id, workspace_id, comment_text, comment_html, text_available, resolver_used,
       author_id, author, created_ms, updated_ms)
SELECT a.key, c.seq, c.comment_id, c.workspace_id, c.comment_text, c.comment_html, c.text_available, c.resolver_used, c.author_id,
       c.author, c.created_ms, c.updated_ms
FROM annotations a CROSS JOIN (SELECT * FROM comments LIMIT 1) c WHERE NOT EXISTS (SELECT FROM comments o WHERE o.annotation_key = a.key)`,
		`VACUUM ANALYZE annotations, comments`,
	} {
		if _, err := a.pool.Exec(ctx, statement); err != nil {
			return nil, err
		}
	}
	return documents, nil
}

// byHand is what somebody would write who needs only these numbers and knows
// the documents' keys.
const byHand = `SELECT a.document_key, count(*), count(*) FILTER (WHERE a.last_seq > coalesce(m.seq, 0) AND a.last_author <> $2)
FROM annotations a LEFT JOIN read_marks m ON m.user_id = $2 AND m.annotation_key = a.key
WHERE a.document_key = ANY($1) AND a.visibility = 'public' GROUP BY a.document_key`

func (a *apart) counting(ctx context.Context, documents []string) (measure.Row, error) {
	request, err := json.Marshal(map[string]any{"data": map[string]any{"organizationId": "acme", "documentIds": documents, "userId": "bob"}})
	if err != nil {
		return measure.Row{}, err
	}
	var keys []int64
	err = a.pool.QueryRow(ctx, `SELECT array_agg(key) FROM documents WHERE document_id = ANY($1)`, documents).Scan(&keys)
	if err != nil {
		return measure.Row{}, err
	}
	var blocks []measure.Pair
	for range annotationBlocks {
		ours, err := measure.Spread(ctx, 1, countReads, func(ctx context.Context, _ int) error { return a.counted(ctx, request) })
		if err != nil {
			return measure.Row{}, err
		}
		theirs, err := measure.Spread(ctx, 1, countReads, func(ctx context.Context, _ int) error {
			tag, err := a.pool.Exec(ctx, byHand, keys, "bob")
			if err == nil && tag.RowsAffected() != countedDocuments {
				err = errors.New("the SELECT by hand misses documents")
			}
			return err
		})
		if err != nil {
			return measure.Row{}, err
		}
		blocks = append(blocks, measure.Pair{Measured: ours.P50(), Against: theirs.P50()})
	}
	measured, against := measure.Medians(blocks)
	return measure.AtMost(1.5, measure.Row{
		Name: "count of 30 documents with 10,000 annotations each, p50", Unit: "ms", Measured: measured,
		What: "one SELECT by hand, p50", Against: against, Blocks: blocks,
	}), nil
}

// counted counts once over the interface; every document must have its own.
func (a *apart) counted(ctx context.Context, request []byte) error {
	reply, err := a.workspace.Keyed.Send(ctx, "/v1/commentannotations/count/get", request, nil)
	if err != nil {
		return err
	}
	var answer struct {
		Result struct {
			Data map[string]struct {
				Total  int `json:"total"`
				Unread int `json:"unread"`
			} `json:"data"`
		} `json:"result"`
	}
	if err := json.Unmarshal(reply.Body, &answer); err != nil {
		return err
	}
	for document, n := range answer.Result.Data {
		if n.Total != countedEach || n.Unread != countedEach {
			return fmt.Errorf("%s has %d annotations, %d unread", document, n.Total, n.Unread)
		}
	}
	if len(answer.Result.Data) != countedDocuments {
		return fmt.Errorf("counted %d documents: %s", len(answer.Result.Data), reply.Body)
	}
	return nil
}

func (a *apart) adding(ctx context.Context) (measure.Row, error) {
	var blocks []measure.Pair
	for range annotationBlocks {
		var p50 [2]float64
		for i, document := range []string{large, small} {
			took, err := measure.Spread(ctx, 1, addedEach, func(ctx context.Context, _ int) error { return a.annotate(ctx, document) })
			if err != nil {
				return measure.Row{}, err
			}
			p50[i] = took.P50()
		}
		blocks = append(blocks, measure.Pair{Measured: p50[0], Against: p50[1]})
	}
	measured, against := measure.Medians(blocks)
	return measure.AtMost(1.3, measure.Row{
		Name: "adding an annotation to a document with 100,000, p50", Unit: "ms", Measured: measured,
		What: "to one with hardly any, p50", Against: against, Blocks: blocks,
	}), nil
}
