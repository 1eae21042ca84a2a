package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"time"

	"github.com/redline-svc/redline/bench/measure"
	"github.com/redline-svc/redline/tests/kit/client"
)

const (
	inboxRows   = 100_000
	inboxReads  = 200
	inboxBlocks = 5
)

// walked is a list that is read at its beginning and deep inside. Its pages of
// size are measured; pages of most lead to the depth.
type walked struct {
	name, operation, sizeKey string
	filter                   map[string]any
	size, most               int
	// depth is how many rows lie before the deep page, a multiple of most.
	depth int
}

var inboxLists = []walked{
	{
		name: "steps/list, the inbox of one person", operation: "workflow/steps/list", sizeKey: "pageSize",
		filter: map[string]any{"reviewerId": "ann", "status": "waiting"}, size: 100, most: 450, depth: 99_900, // page 1,000
	},
	{name: "judgments/query", operation: "memory/judgments/query", sizeKey: "limit", size: 20, most: 100, depth: 95_000},
}

// benchInbox compares the first page with a late one of a person who has
// 100,000 open steps, and of as many judgments. The rows are made by SQL.
func benchInbox(ctx context.Context, r *rig) ([]measure.Row, error) {
	apart, err := r.apart(ctx, "inbox")
	if err != nil {
		return nil, err
	}
	defer apart.close()
	if err := apart.openSteps(ctx); err != nil {
		return nil, err
	}
	if err := apart.judgments(ctx); err != nil {
		return nil, err
	}
	if _, err := apart.pool.Exec(ctx, "VACUUM ANALYZE executions, steps, step_reviewers, judgments"); err != nil {
		return nil, err
	}
	var rows []measure.Row
	for _, list := range inboxLists {
		found, err := list.measure(ctx, apart.workspace)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", list.operation, err)
		}
		rows = append(rows, found)
	}
	return rows, nil
}

// openSteps copies one real execution with its step and its reviewer.
func (a *apart) openSteps(ctx context.Context) error {
	template, err := a.template(ctx)
	if err != nil {
		return err
	}
	const id, at = `'exec_' || (1600000000000 + n) || '_' || lpad(to_hex(n), 8, '0')`, `'2020-09-13'::timestamptz + n * interval '1 millisecond'`
	for _, table := range []struct {
		name, key string
		own       map[string]string
	}{
		{"executions", "id", map[string]string{
			"id": id, "idempotency_key": `'copy:' || n`, "started_at": at, "status": `'running'`,
		}},
		{"steps", "execution_id", map[string]string{"execution_id": id, "created_at": at, "started_at": at, "status": `'waiting'`}},
		{"step_reviewers", "execution_id", map[string]string{"execution_id": id, "step_created": at, "open": `true`}},
	} {
		if err := a.copies(ctx, inboxRows, table.name, table.key, template, table.own); err != nil {
			return fmt.Errorf("%s: %w", table.name, err)
		}
	}
	return nil
}

func (a *apart) judgments(ctx context.Context) error {
	_, err := a.pool.Exec(ctx, `INSERT INTO judgments (workspace_id, record_id, origin, origin_id, decision, reasoning, content,
content_type, confidence, judge_type, user_id, user_name, organization_key, created_at)
SELECT $1, 'jdg_' || n, 'step', n::text, 'approve', 'It reads well.', '', 'workflow', 0.75, 'human', 'ann', 'Ann', acme.key,
       '2020-09-13'::timestamptz + n * interval '1 millisecond'
FROM generate_series(1, $2::int) n, subject_key($1, NULL, 'acme') AS acme (key)`, a.workspace.ID, inboxRows)
	return err
}

func (l walked) measure(ctx context.Context, workspace *client.Workspace) (measure.Row, error) {
	cursor := ""
	for range l.depth / l.most {
		next, err := l.page(ctx, workspace, cursor, l.most)
		if err != nil {
			return measure.Row{}, err
		}
		cursor = next
	}
	var blocks []measure.Pair
	for range inboxBlocks {
		first, err := measure.Spread(ctx, 1, inboxReads, l.reading(workspace, ""))
		if err != nil {
			return measure.Row{}, err
		}
		deep, err := measure.Spread(ctx, 1, inboxReads, l.reading(workspace, cursor))
		if err != nil {
			return measure.Row{}, err
		}
		blocks = append(blocks, measure.Pair{Measured: deep.P50(), Against: first.P50()})
	}
	measured, against := measure.Medians(blocks)
	return measure.AtMost(1.2, measure.Row{
		Name: fmt.Sprintf("%s, page %d of 100,000 rows, p50", l.name, l.depth/l.size+1), Unit: "ms", Measured: measured,
		What: "page 1, p50", Against: against, Blocks: blocks,
	}), nil
}

func (l walked) reading(workspace *client.Workspace, cursor string) func(context.Context, int) error {
	return func(ctx context.Context, _ int) error {
		_, err := l.page(ctx, workspace, cursor, l.size)
		return err
	}
}

// page reads one and returns the cursor of the next; both must be there.
func (l walked) page(ctx context.Context, workspace *client.Workspace, cursor string, size int) (string, error) {
	data := map[string]any{l.sizeKey: size}
	maps.Copy(data, l.filter)
	if cursor != "" {
		data["cursor"] = cursor
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	page, err := client.Call[struct {
		Items, Results []json.RawMessage
		NextCursor     *string
	}](ctx, workspace.Keyed, l.operation, data)
	if err != nil {
		return "", err
	}
	if n := len(page.Items) + len(page.Results); n != size || page.NextCursor == nil {
		return "", fmt.Errorf("a page of %d", n)
	}
	return *page.NextCursor, nil
}
