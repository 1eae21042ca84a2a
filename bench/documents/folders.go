package documents

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/redline-svc/redline/bench/measure"
	"github.com/redline-svc/redline/tests/kit/client"
)

// folders makes ten thousand folders, twenty deep, with a document at the top and one
// at the bottom, reads their first page, and asks about both documents for a user.
func (s Service) folders(ctx context.Context) ([]measure.Row, error) {
	if err := s.forest(ctx); err != nil {
		return nil, err
	}
	access, err := s.access(ctx)
	if err != nil {
		return nil, err
	}
	page, err := measure.Spread(ctx, 1, reads, func(ctx context.Context, _ int) error {
		reply, err := s.send(ctx, "/v2/organizations/folders/get", fmt.Sprintf(`{"organizationId":"deep","maxDepth":%d}`, depth))
		if err == nil && bytes.Count(reply.Body, []byte(`"parentFolderId":"root"`)) != chains {
			err = errors.New("not all folders are there")
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return []measure.Row{access, measure.Below(foldersGoal, measure.Row{
		Name: "folders/get of 10,000 folders, 20 deep, first page, p50", Unit: "ms", Measured: page.P50(),
		What: "p95", Against: measure.Percentile(page.Took, 95),
	})}, nil
}

// forest makes chains of folders, the first of them by the interface.
func (s Service) forest(ctx context.Context) error {
	var chain []map[string]any
	parent := "root"
	for level := range depth {
		id := fmt.Sprintf("f-%d-1", level+1)
		chain = append(chain, map[string]any{"folderId": id, "parentFolderId": parent})
		parent = id
	}
	err := errors.Join(
		s.call(ctx, "organizations/folders/add", map[string]any{"organizationId": "deep", "createOrganization": true, "folders": chain}),
		s.call(ctx, "organizations/documents/add", map[string]any{"organizationId": "deep", "documents": []any{map[string]any{"documentId": "top"}}}),
		s.call(ctx, "organizations/documents/add", map[string]any{
			"organizationId": "deep", "folderId": parent, "documents": []any{map[string]any{"documentId": "bottom"}},
		}),
		s.call(ctx, "users/add", map[string]any{"organizationId": "deep", "users": []any{map[string]any{"userId": "ann"}}}))
	if err != nil {
		return err
	}
	for level := range depth {
		if err := s.exec(ctx, fmt.Sprintf(`INSERT INTO folders OVERRIDING USER VALUE
SELECT (jsonb_populate_record(f, jsonb_build_object('folder_id', 'f-%d-' || n,
       'parent_key', (SELECT key FROM folders p WHERE p.folder_id = 'f-%d-' || n)))).*
FROM folders f CROSS JOIN generate_series(2, %d) n WHERE f.folder_id = 'f-%d-1'`, level+1, level, chains, level+1)); err != nil {
			return err
		}
	}
	return s.exec(ctx, `VACUUM ANALYZE`)
}

// access asks for the counts of a document for a user, which is a decision about
// access and little else: below twenty folders against at the top.
func (s Service) access(ctx context.Context) (measure.Row, error) {
	var pairs []measure.Pair
	for range blocks {
		var p50 [2]float64
		for i, document := range []string{"bottom", "top"} {
			data := fmt.Sprintf(`{"organizationId":"deep","documentIds":["%s"],"userId":"ann"}`, document)
			took, err := measure.Spread(ctx, 1, reads, func(ctx context.Context, _ int) error {
				_, err := s.send(ctx, "/v1/commentannotations/count/get", data)
				return err
			})
			if err != nil {
				return measure.Row{}, err
			}
			p50[i] = took.P50()
		}
		pairs = append(pairs, measure.Pair{Measured: p50[0], Against: p50[1]})
	}
	measured, against := measure.Medians(pairs)
	return measure.AtMost(accessGoal, measure.Row{
		Name: "access to a document 20 folders deep, by a count for a user, p50", Unit: "ms", Measured: measured,
		What: "to one at the top, p50", Against: against, Blocks: pairs,
		Note: "the decision alone: go test ./models/directory -run xxx -bench Access",
	}), nil
}

// send makes an operation and reads its answer as bytes.
func (s Service) send(ctx context.Context, path, data string) (*client.Reply, error) {
	reply, err := s.Workspace.Keyed.Send(ctx, path, []byte(`{"data":`+data+`}`), nil)
	if err != nil {
		return nil, err
	}
	if failure := reply.Failure(); failure != nil {
		return nil, failure
	}
	return reply, nil
}
