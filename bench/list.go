package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/redline-svc/redline/bench/measure"
	"github.com/redline-svc/redline/bench/workflow"
	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/stack"
)

const (
	listRows   = 1_000_000
	deepPage   = 2000
	listReads  = 300
	listBlocks = 5
)

// benchList compares page 1 and page 2,000 of executions/list over a million
// executions of one workspace, each with its step. The rows are copies of a
// real one, made by SQL in a database of their own; the deep cursor is reached
// by reading every page before it.
func benchList(ctx context.Context, r *rig) ([]measure.Row, error) {
	apart, err := r.apart(ctx, "list")
	if err != nil {
		return nil, err
	}
	defer apart.close()
	workspace := apart.workspace
	if err := apart.completed(ctx, listRows); err != nil {
		return nil, err
	}
	cursor, err := cursorOf(ctx, workspace, deepPage)
	if err != nil {
		return nil, err
	}
	var blocks []measure.Pair
	for range listBlocks {
		first, err := measure.Spread(ctx, 1, listReads, reading(workspace, ""))
		if err != nil {
			return nil, err
		}
		deep, err := measure.Spread(ctx, 1, listReads, reading(workspace, cursor))
		if err != nil {
			return nil, err
		}
		blocks = append(blocks, measure.Pair{Measured: deep.P50(), Against: first.P50()})
	}
	measured, against := measure.Medians(blocks)
	return []measure.Row{measure.AtMost(1.2, measure.Row{
		Name: "executions/list, page 2,000 at 1,000,000, p50", Unit: "ms", Measured: measured,
		What: "page 1, p50", Against: against, Blocks: blocks,
	})}, nil
}

// apart is a workspace in a database of its own that only one process serves
// and nothing drives, so its rows can be made by SQL.
type apart struct {
	workspace *client.Workspace
	pool      *pgxpool.Pool
	api       *stack.Service
}

func (r *rig) apart(ctx context.Context, name string) (*apart, error) {
	address, err := r.stack.MigratedDatabase(ctx, "bench_"+name)
	if err != nil {
		return nil, err
	}
	env := map[string]string{"REDLINE_DATABASE_URL": address}
	a := &apart{}
	if a.pool, err = pgxpool.New(ctx, address); err != nil {
		return nil, err
	}
	if a.api, err = r.stack.Service(ctx, name+"-api", "api", env); err != nil {
		a.close()
		return nil, err
	}
	a.workspace, err = client.CreateWorkspace(ctx, a.api.URL, measure.Unique(name)+"@bench.example.com")
	if err != nil {
		a.close()
	}
	return a, err
}

// inApart measures in a database of its own.
func (r *rig) inApart(ctx context.Context, name string, of func(*apart) ([]measure.Row, error)) ([]measure.Row, error) {
	a, err := r.apart(ctx, name)
	if err != nil {
		return nil, err
	}
	defer a.close()
	return of(a)
}

func (a *apart) close() {
	if a.api != nil {
		a.api.Kill()
	}
	a.pool.Close()
}

// template is an execution that waits for a person, made as callers make one.
func (a *apart) template(ctx context.Context) (string, error) {
	owner := &workflow.Runs{Workspace: a.workspace}
	definition, err := owner.Define(ctx, []redline.NodeInput{client.Human("review", "ann"), client.Mock("end")}, client.Both("review", "end")...)
	if err != nil {
		return "", err
	}
	made, err := a.workspace.Dispatch(ctx, redline.DispatchRequest{DefinitionID: definition})
	return made.ExecutionID, err
}

// completed copies one real execution many times, each as one that has been completed.
func (a *apart) completed(ctx context.Context, times int) error {
	template, err := a.template(ctx)
	if err != nil {
		return err
	}
	for _, table := range []struct {
		name, key string
		own       map[string]string
	}{
		{"executions", "id", map[string]string{
			"id": `'exec_' || (1600000000000 + n) || '_' || lpad(to_hex(n), 8, '0')`, "idempotency_key": `'copy:' || n`,
			"started_at": `'2020-09-13'::timestamptz + n * interval '1 millisecond'`, "status": `'completed'`,
			"completed_at": `'2020-09-13'::timestamptz + n * interval '1 millisecond'`,
		}},
		{"steps", "execution_id", map[string]string{
			"execution_id": `'exec_' || (1600000000000 + n) || '_' || lpad(to_hex(n), 8, '0')`, "status": `'completed'`,
			"created_at": `'2020-09-13'::timestamptz + n * interval '1 millisecond'`,
		}},
	} {
		if err := a.copies(ctx, times, table.name, table.key, template, table.own); err != nil {
			return fmt.Errorf("%s: %w", table.name, err)
		}
	}
	_, err = a.pool.Exec(ctx, "VACUUM ANALYZE executions, steps")
	return err
}

// copies inserts the template's row of a table again and again, with the given
// expressions of n for some columns and the template's values for the rest.
func (a *apart) copies(ctx context.Context, times int, table, key, template string, own map[string]string) error {
	rows, err := a.pool.Query(ctx, `SELECT column_name FROM information_schema.columns
WHERE table_schema = 'public' AND table_name = $1 AND is_generated = 'NEVER' ORDER BY ordinal_position`, table)
	if err != nil {
		return err
	}
	var columns, values []string
	var column string
	for rows.Next() {
		if err := rows.Scan(&column); err != nil {
			return err
		}
		value, ok := own[column]
		if !ok {
			value = "t." + column
		}
		columns, values = append(columns, column), append(values, value)
	}
	if err := rows.Err(); err != nil {
		return err
	}
	statement := fmt.Sprintf(`INSERT INTO %s (%s) SELECT %s FROM %s t, generate_series(1, %d) n WHERE t.%s = $1`,
		table, strings.Join(columns, ", "), strings.Join(values, ", "), table, times, key)
	_, err = a.pool.Exec(ctx, statement, template)
	return err
}

// cursorOf reads page after page and returns the cursor of the wanted one.
func cursorOf(ctx context.Context, workspace *client.Workspace, wanted int) (string, error) {
	cursor := ""
	for range wanted - 1 {
		page, err := list(ctx, workspace, cursor)
		if err != nil {
			return "", err
		}
		if !page.HasMore {
			return "", fmt.Errorf("the list ended before page %d", wanted)
		}
		cursor = page.NextCursor
	}
	return cursor, nil
}

func list(ctx context.Context, workspace *client.Workspace, cursor string) (redline.ExecutionList, error) {
	data := map[string]any{}
	if cursor != "" {
		data["cursor"] = cursor
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	return client.Call[redline.ExecutionList](ctx, workspace.Keyed, "workflow/executions/list", data)
}

func reading(workspace *client.Workspace, cursor string) func(context.Context, int) error {
	return func(ctx context.Context, _ int) error {
		page, err := list(ctx, workspace, cursor)
		if err == nil && len(page.Items) != 50 {
			return fmt.Errorf("a page of %d", len(page.Items))
		}
		return err
	}
}
