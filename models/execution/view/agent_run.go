package view

import (
	"context"
	"encoding/json"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/definition"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/internal/list"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/subject"
)

// How a run of one agent stands.
const (
	RunRunning = "running"
	RunPassed  = "passed"
	RunFailed  = "failed"
	RunError   = "error"
	RunSkipped = "skipped"
)

// AgentRun is an execution of one agent that ran alone.
type AgentRun struct {
	ID, AgentID, AgentName string
	// AgentVersion is that of the agent's behaviour, nil before the first call.
	AgentVersion               *int
	OrganizationID, DocumentID *string
	// Asked is what the run was asked with.
	Asked     json.RawMessage
	Status    string
	StartedAt time.Time
	EndedAt   *time.Time
}

// runStatus is the status of the run e with its newest step s.
const runStatus = `CASE WHEN e.status = 'failed' THEN '` + RunError + `' WHEN e.status = 'cancelled' THEN '` + RunSkipped + `'
    WHEN e.status <> 'completed' THEN '` + RunRunning + `' WHEN s.decision = 'reject' THEN '` + RunFailed + `' ELSE '` + RunPassed + `' END`

// agentRuns are the runs of a workspace.
const agentRuns = `
FROM executions e CROSS JOIN LATERAL (
    SELECT agent_version, decision FROM steps WHERE workspace_id = e.workspace_id AND execution_id = e.id ORDER BY ordinal DESC LIMIT 1) s
WHERE e.workspace_id = $1 AND e.definition_id = '` + definition.AgentRun + `'`

var runColumns = `e.id, e.version_ref, e.definition_name, s.agent_version, ` + subject.ID("e.organization_key") + `, ` + subject.ID("e.document_key") + `,
    e.trigger_context, ` + runStatus + `, e.started_at, coalesce(e.completed_at, e.cancelled_at)`

func scanRun(row pgx.CollectableRow) (r AgentRun, at Position, err error) {
	var ref string
	var asked []byte
	err = row.Scan(&r.ID, &ref, &r.AgentName, &r.AgentVersion, &r.OrganizationID, &r.DocumentID, &asked, &r.Status, &r.StartedAt, &r.EndedAt)
	r.AgentID, _ = definition.RunAgent(ref)
	r.Asked = pg.OrEmpty(asked)
	return r, list.PositionOf(r.StartedAt, r.ID), err
}

// AgentRun reads a run of one agent. Errors: NOT_FOUND, of executions of other definitions too.
func (v *Views) AgentRun(ctx context.Context, workspaceID, executionID string) (*AgentRun, error) {
	rows, err := v.db.Pool.Query(ctx, `SELECT `+runColumns+agentRuns+` AND e.id = $2`, workspaceID, executionID)
	if err != nil {
		return nil, pg.Translate(err)
	}
	var found list.Found[AgentRun, Position]
	if err := found.Collect(scanRun)(rows); err != nil {
		return nil, pg.Translate(err)
	}
	if len(found.Items) == 0 {
		return nil, fault.NotFound("execution")
	}
	return &found.Items[0], nil
}

// RunFilter narrows runs; empty fields do not.
type RunFilter struct {
	AgentID        string `json:"agentId"`
	OrganizationID string `json:"organizationId"`
	DocumentID     string `json:"documentId"`
}

// RunPage is a page of runs, newest first.
type RunPage = list.Page[AgentRun, Position]

// AgentRuns reads a page of runs, newest first.
func (v *Views) AgentRuns(ctx context.Context, workspaceID string, f RunFilter, after *Position, size int) (*RunPage, error) {
	var found list.Found[AgentRun, Position]
	scope := subject.Filter{OrganizationID: f.OrganizationID, DocumentID: f.DocumentID, Removed: true}
	err := scope.Read(ctx, v.db, workspaceID, func(b *pgx.Batch, n subject.Narrow) {
		q := pg.NewConditions(workspaceID)
		n.Keep(q, "e.organization_key", "e.document_key")
		if f.AgentID != "" {
			q.And("e.version_ref = %s", definition.RunVersion(f.AgentID))
		}
		if after != nil {
			newestStart.After(q, after.Values()...)
		}
		b.Queue(newestStart.First(q, `SELECT `+runColumns+agentRuns, size), q.Args...).Query(found.Collect(scanRun))
	})
	if err != nil {
		return nil, err
	}
	found.Cut(size)
	return found.Page(), nil
}

// CountRuns counts runs by their agents: of all, or of those named; of one status, unless that is empty.
func (v *Views) CountRuns(ctx context.Context, workspaceID string, agentIDs []string, status string) (map[string]int64, error) {
	q := pg.NewConditions(workspaceID)
	q.Equal("("+runStatus+")", status)
	counts, refs := map[string]int64{}, make([]string, len(agentIDs))
	for i, agentID := range agentIDs {
		counts[agentID], refs[i] = 0, definition.RunVersion(agentID)
	}
	if len(refs) > 0 {
		q.And("e.version_ref = ANY (%s)", refs)
	}
	return counts, v.db.CountMany(ctx, workspaceID, func() error {
		rows, err := v.db.Pool.Query(ctx, `SELECT e.version_ref, count(*)`+agentRuns+q.Text()+` GROUP BY 1`, q.Args...)
		if err != nil {
			return err
		}
		var ref string
		var count int64
		_, err = pgx.ForEachRow(rows, []any{&ref, &count}, func() error {
			agentID, _ := definition.RunAgent(ref)
			counts[agentID] = count
			return nil
		})
		return err
	})
}

// AgentFigures are what became of the steps of an agent, in executions of every definition.
type AgentFigures struct {
	Steps, Passed, Failed, Errors int64
	LastStart                     *time.Time
	// MeanMs is how long those that ended took on average, nil where none did.
	MeanMs *float64
}

// maxFigures is of how many agents there are figures: a definition may name any.
const maxFigures = 10_000

const agentFigures = `
SELECT s.agent->>'agentId', count(*), count(*) FILTER (WHERE s.status = 'completed' AND s.decision <> 'reject'),
       count(*) FILTER (WHERE s.status = 'completed' AND s.decision = 'reject'), count(*) FILTER (WHERE s.status IN ('failed', 'breached')),
       max(s.started_at), (extract(epoch FROM avg(s.completed_at - s.started_at)) * 1000)::float8
FROM steps s WHERE s.workspace_id = $1 AND s.agent IS NOT NULL AND s.started_at IS NOT NULL`

// Figures counts the steps of agents, or of one, that started from one time on and before another, by the agents: of
// maxFigures agents those that have most.
func (v *Views) Figures(ctx context.Context, workspaceID, agentID string, from, before *time.Time) (map[string]AgentFigures, error) {
	q := pg.NewConditions(workspaceID)
	q.Equal("s.agent->>'agentId'", agentID)
	if from != nil {
		q.And("s.started_at >= %s", *from)
		q.And("s.started_at < %s", *before)
	}
	all := map[string]AgentFigures{}
	query := agentFigures + q.Text() + ` GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ` + q.Value(maxFigures)
	return all, v.db.CountMany(ctx, workspaceID, func() error {
		rows, err := v.db.Pool.Query(ctx, query, q.Args...)
		if err != nil {
			return err
		}
		var name string
		var f AgentFigures
		_, err = pgx.ForEachRow(rows, []any{&name, &f.Steps, &f.Passed, &f.Failed, &f.Errors, &f.LastStart, &f.MeanMs}, func() error {
			all[name] = f
			return nil
		})
		return err
	})
}
