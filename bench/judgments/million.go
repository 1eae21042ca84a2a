package judgments

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5/pgxpool"
	pb "github.com/weaviate/weaviate/grpc/generated/protocol/v1"

	"github.com/redline-svc/redline/bench/bare"
	"github.com/redline-svc/redline/bench/corpus"
	"github.com/redline-svc/redline/bench/measure"
	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit/client"
)

const (
	millionGoal, millionRatio = 200, 1.5
	millionReads, millionRuns = 1000, 5
	// millionContentEvery is how many of the million have one whose content is known: what
	// is searched are the reviews, and another vector for each doubles the time of filling.
	millionContentEvery = 5
	// rare is the reviewer of one judgment.
	rare = "rare"
)

// Million measures memory/search among a million judgments with the filter that leaves one,
// without the embedder, and the same question straight to the index. Filling it takes the
// index the better part of an hour on two cores. env are the addresses of the stack.
func Million(ctx context.Context, rows *pgxpool.Pool, workspace *client.Workspace, env map[string]string) ([]measure.Row, error) {
	f := &filled{rows: rows, workspace: workspace, contentEvery: millionContentEvery}
	if err := f.fillUp(ctx, manyJudgments); err != nil {
		return nil, err
	}
	if err := f.recordRare(ctx); err != nil {
		return nil, err
	}
	index, err := f.index(ctx, env)
	if err != nil {
		return nil, err
	}
	defer index.Close()
	if _, err := measure.Spread(ctx, measure.Callers, len(f.questions), f.search); err != nil {
		return nil, err
	}
	var middle, late []measure.Pair
	for range millionRuns {
		ours, err := measure.Spread(ctx, measure.Callers, millionReads, f.search)
		if err != nil {
			return nil, err
		}
		straight, err := measure.Spread(ctx, measure.Callers, millionReads, func(ctx context.Context, i int) error {
			return index.Call(ctx, i%len(f.seeds))
		})
		if err != nil {
			return nil, err
		}
		middle = append(middle, measure.Pair{Measured: ours.P50(), Against: straight.P50()})
		late = append(late, measure.Pair{Measured: measure.Percentile(ours.Took, 95), Against: measure.Percentile(straight.Took, 95)})
	}
	return []measure.Row{
		measure.AtMost(millionRatio, searched("p50", middle)), measure.Below(millionGoal, searched("p95", late)),
	}, nil
}

// recordRare records the one judgment that is looked for; a repeat is the same record.
func (f *filled) recordRare(ctx context.Context) error {
	_, err := client.Call[json.RawMessage](ctx, f.workspace.Keyed, "memory/judgments/record", map[string]any{
		"recordId": rare, "decision": "reject", "reasoning": "Nobody else says so.", "actionUser": map[string]any{"userId": rare},
	})
	if err != nil {
		return err
	}
	return f.settle(ctx)
}

func searched(which string, blocks []measure.Pair) measure.Row {
	measured, against := measure.Medians(blocks)
	return measure.Row{
		Name: "memory/search among 1,000,000 judgments, the filter leaves one, 16 callers, " + which, Unit: "ms", Measured: measured,
		What: "the same question straight to the index", Against: against, Blocks: blocks,
		Note: "one in five has content",
	}
}

// search finds the one judgment, and nothing else.
func (f *filled) search(ctx context.Context, i int) error {
	found, err := client.Call[redline.JudgmentsFound](ctx, f.workspace.Keyed, "memory/search", map[string]any{
		"query": f.questions[i%len(f.questions)], "filters": map[string]any{"reviewerId": rare},
	})
	if err == nil && (len(found.Results) != 1 || found.TotalInScope != 1) {
		err = fmt.Errorf("%d results of %d", len(found.Results), found.TotalInScope)
	}
	return err
}

// index asks the index itself for the judgment of that reviewer.
func (f *filled) index(ctx context.Context, env map[string]string) (*bare.Index, error) {
	var suffix string
	if err := f.rows.QueryRow(ctx, `SELECT suffix FROM index_generations WHERE state = 'serving'`).Scan(&suffix); err != nil {
		return nil, err
	}
	vectors := make([][]float32, len(f.seeds))
	for i, s := range f.seeds {
		vectors[i] = corpus.Floats(s.Review)
	}
	return bare.NewIndex(env["REDLINE_WEAVIATE_ADDR"], env["REDLINE_WEAVIATE_GRPC_ADDR"], bare.Question{
		Collection: "RedlineJudgments" + suffix, Tenant: f.workspace.ID, Vectors: vectors, Hits: 1, Properties: []string{"key"}, Among: "review",
		Where: &pb.Filters{
			Operator: pb.Filters_OPERATOR_EQUAL, TestValue: &pb.Filters_ValueText{ValueText: rare},
			Target: &pb.FilterTarget{Target: &pb.FilterTarget_Property{Property: "reviewer"}},
		},
	})
}
