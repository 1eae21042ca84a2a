package judgments

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/redline-svc/redline/bench/measure"
	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit/client"
)

const (
	manyJudgments, fewJudgments = 1_000_000, 10_000
	// totalsGoal is how much longer a page may take with its total among many.
	totalsGoal = 1.5
	// A block asks for so long: a total among many is remembered for 30 s, so some calls
	// of each block count.
	totalsBlock, totalsBlocks = 35 * time.Second, 3
)

// copied makes judgments of the one that a workspace has, a second apart.
const copied = `
INSERT INTO judgments OVERRIDING USER VALUE
SELECT (jsonb_populate_record(j, jsonb_build_object('record_id', 'copy' || n, 'origin_id', 'copy' || n,
       'created_at', j.created_at - n * interval '1 second'))).*
FROM judgments j, generate_series(2, $2::int) n WHERE j.workspace_id = $1 AND j.record_id = 'first'`

// Totals compares the first page of judgments/query, with its total, in a workspace with a
// million judgments and in one with 10,000. rows are those of a service that nothing
// drives, so these are made by SQL.
func Totals(ctx context.Context, rows *pgxpool.Pool, many, few *client.Workspace) ([]measure.Row, error) {
	for workspace, n := range map[*client.Workspace]int{many: manyJudgments, few: fewJudgments} {
		if err := fill(ctx, rows, workspace, n); err != nil {
			return nil, err
		}
	}
	var blocks []measure.Pair
	var slowest float64
	for range totalsBlocks {
		large, err := pages(ctx, many, manyJudgments)
		if err != nil {
			return nil, err
		}
		small, err := pages(ctx, few, fewJudgments)
		if err != nil {
			return nil, err
		}
		slowest = max(slowest, measure.Percentile(large, 100))
		blocks = append(blocks, measure.Pair{Measured: measure.Percentile(large, 50), Against: measure.Percentile(small, 50)})
	}
	measured, against := measure.Medians(blocks)
	return []measure.Row{measure.AtMost(totalsGoal, measure.Row{
		Name: "judgments/query with its total among 1,000,000, p50", Unit: "ms", Measured: measured,
		What: "among 10,000, p50", Against: against, Blocks: blocks, Note: fmt.Sprintf("the slowest call, which counts, took %.1f ms", slowest),
	})}, nil
}

// fill gives a workspace so many judgments.
func fill(ctx context.Context, rows *pgxpool.Pool, workspace *client.Workspace, n int) error {
	_, err := client.Call[json.RawMessage](ctx, workspace.Keyed, "memory/judgments/record", map[string]any{
		"recordId": "first", "decision": "approve", "reasoning": "The figures agree with the books.", "actionUser": map[string]any{"userId": "ann"},
	})
	if err != nil {
		return err
	}
	if _, err := rows.Exec(ctx, copied, workspace.ID, n); err != nil {
		return fmt.Errorf("copy judgments: %w", err)
	}
	_, err = rows.Exec(ctx, `VACUUM ANALYZE judgments`)
	return err
}

// pages reads the first page for as long as a block lasts.
func pages(ctx context.Context, workspace *client.Workspace, total int) ([]time.Duration, error) {
	var took []time.Duration
	for end := time.Now().Add(totalsBlock); time.Now().Before(end); {
		began := time.Now()
		page, err := client.Call[redline.JudgmentList](ctx, workspace.Keyed, "memory/judgments/query", map[string]any{})
		took = append(took, time.Since(began))
		if err == nil && page.Total != int64(total) {
			err = fmt.Errorf("a total of %d", page.Total)
		}
		if err != nil {
			return nil, err
		}
	}
	return took, nil
}
