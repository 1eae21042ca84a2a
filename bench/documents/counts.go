package documents

import (
	"context"
	"fmt"

	"github.com/redline-svc/redline/bench/measure"
	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit/client"
)

const (
	manyDocuments = 1_000_000
	counts        = 10
	countGoal     = 3000
)

// Counts counts the documents of an organization that has a million of them, half of these in a folder.
func Counts(ctx context.Context, of Service) ([]measure.Row, error) {
	if err := of.documents(ctx); err != nil {
		return nil, err
	}
	took, err := measure.Spread(ctx, 1, counts, func(ctx context.Context, _ int) error {
		found, err := client.Call[redline.DocumentCountResult](ctx, of.Workspace.Keyed, client.CountDocuments, map[string]any{"organizationId": "wide"})
		if err == nil && found.Data.Count != manyDocuments {
			err = fmt.Errorf("a count of %d", found.Data.Count)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return []measure.Row{measure.Below(countGoal, measure.Row{
		Name: "documents/count/get of 1,000,000 documents, the slowest", Unit: "ms", Measured: measure.Percentile(took.Took, 100),
		What: "p50", Against: took.P50(),
	})}, nil
}

// documents makes as many as are counted, the first of each kind by the interface.
func (s Service) documents(ctx context.Context) error {
	for folder, id := range map[string]string{"": "top", "below": "in-folder"} {
		data := map[string]any{"organizationId": "wide", "createOrganization": true, "documents": []any{map[string]any{"documentId": id}}}
		if folder != "" {
			data["folderId"], data["createFolder"] = folder, true
		}
		if err := s.call(ctx, client.AddDocuments, data); err != nil {
			return err
		}
	}
	return s.exec(ctx,
		fmt.Sprintf(`INSERT INTO document_rows OVERRIDING USER VALUE
SELECT (jsonb_populate_record(d, jsonb_build_object('document_id', d.document_id || '-' || n))).* FROM document_rows d CROSS JOIN generate_series(2, %d) n`, manyDocuments/2),
		`VACUUM ANALYZE document_rows`)
}
