package pattern_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/pattern"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/job"
	"github.com/redline-svc/redline/models/modelstest"
	patterns "github.com/redline-svc/redline/models/pattern"
	"github.com/redline-svc/redline/models/pgtest"
	"github.com/redline-svc/redline/models/queue"
)

// desk is a store of patterns with one workspace.
type desk struct {
	*patterns.Patterns
	jobs *job.Jobs
	work *queue.Queue
	t    testing.TB
	db   *pg.DB
}

func newDesk(t testing.TB) *desk {
	t.Helper()
	db := pgtest.New(t)
	modelstest.AddWorkspace(t, db, modelstest.Workspace)
	return &desk{patterns.New(db), job.New(db), queue.New(db), t, db}
}

func (d *desk) exec(sql string, args ...any) {
	d.t.Helper()
	_, err := d.db.Pool.Exec(d.t.Context(), sql, args...)
	require.NoError(d.t, err)
}

// answers reports whether a condition holds.
func (d *desk) answers(condition string, args ...any) (holds bool) {
	d.t.Helper()
	require.NoError(d.t, d.db.Pool.QueryRow(d.t.Context(), `SELECT coalesce((`+condition+`), false)`, args...).Scan(&holds))
	return holds
}

// note notes a change as whoever finishes work on judgments does.
func (d *desk) note(noting func(tx *pg.Tx, workspaceIDs ...string), workspaceIDs ...string) {
	d.t.Helper()
	require.NoError(d.t, d.db.InTx(d.t.Context(), func(tx *pg.Tx) error { noting(tx, workspaceIDs...); return nil }))
}

// pass lets that much time pass.
func (d *desk) pass(interval string) {
	d.t.Helper()
	d.exec(`UPDATE work SET run_at = run_at - $1::interval, locked_until = locked_until - $1::interval WHERE kind IN ('pattern', 'rested')`, interval)
}

// begin begins what is due, as a worker does, and returns of how many workspaces.
func (d *desk) begin() (workspaces int) {
	d.t.Helper()
	_, err := d.QueueTurned(d.t.Context(), 10)
	require.NoError(d.t, err)
	for _, kind := range []queue.Kind{queue.Patterns, queue.Rested} {
		batch, err := d.work.Claim(d.t.Context(), kind, "", 10)
		require.NoError(d.t, err)
		for _, c := range batch.Rows {
			begun, err := d.Begin(d.t.Context(), c.Key)
			require.NoError(d.t, err)
			if !begun {
				require.NoError(d.t, d.work.PutOff(d.t.Context(), kind, c, 0))
				continue
			}
			workspaces++
			require.NoError(d.t, d.work.Done(d.t.Context(), kind, c))
		}
	}
	return workspaces
}

// queued is when what is queued of the workspace is due.
func (d *desk) queued(kind queue.Kind) (at *time.Time) {
	d.t.Helper()
	require.NoError(d.t, d.db.Pool.QueryRow(d.t.Context(), `SELECT (SELECT run_at FROM work WHERE kind = $1 AND key = $2)`, kind, modelstest.Workspace).Scan(&at))
	return at
}

// open is the open job of the workspace.
func (d *desk) open() *job.Job {
	d.t.Helper()
	var id string
	require.NoError(d.t, d.db.Pool.QueryRow(d.t.Context(), `SELECT id FROM jobs WHERE ended_at IS NULL AND workspace_id = $1`, modelstest.Workspace).Scan(&id))
	begun, err := d.jobs.Begin(d.t.Context(), id)
	require.NoError(d.t, err)
	return begun
}

// opened is a job that has just begun.
func (d *desk) opened() *job.Job {
	d.t.Helper()
	_, err := d.MakeDue(d.t.Context(), modelstest.Workspace)
	require.NoError(d.t, err)
	require.Equal(d.t, 1, d.begin())
	return d.open()
}

func (d *desk) next(j *job.Job) *patterns.Scope {
	d.t.Helper()
	s, err := d.Next(d.t.Context(), j)
	require.NoError(d.t, err)
	return s
}

// find looks through a scope.
func (d *desk) find(s *patterns.Scope) []pattern.Pattern {
	d.t.Helper()
	members, err := d.Members(d.t.Context(), s)
	require.NoError(d.t, err)
	found, err := new(pattern.Detector).Detect(d.t.Context(), members, pattern.Scope{
		WorkspaceWide: s.OrganizationKey == nil, Alert: func(a pattern.Alert) { s.Alerts = append(s.Alerts, a) }, Now: time.Now(),
	})
	require.NoError(d.t, err)
	return found
}

func (d *desk) keep(s *patterns.Scope, found []pattern.Pattern) {
	d.t.Helper()
	require.NoError(d.t, d.Keep(d.t.Context(), s, found))
}

// finish looks through what a job has left and ends it.
func (d *desk) finish(j *job.Job) (scopes int) {
	d.t.Helper()
	for s := d.next(j); s != nil; s = d.next(j) {
		scopes++
		d.keep(s, d.find(s))
	}
	_, err := d.jobs.Complete(d.t.Context(), j.ID)
	require.NoError(d.t, err)
	return scopes
}

// detect looks for the patterns of the workspace and gives them.
func (d *desk) detect() []patterns.View {
	d.t.Helper()
	d.finish(d.opened())
	return d.list()
}

func (d *desk) list() []patterns.View {
	d.t.Helper()
	found, err := d.List(d.t.Context(), modelstest.Workspace)
	require.NoError(d.t, err)
	return found
}

func (d *desk) review(reviews ...modelstest.Review) {
	d.t.Helper()
	modelstest.AddReviews(d.t, d.db, modelstest.Workspace, reviews...)
}

// alike are judgments by as many people about like things.
func alike(prefix string, n int, change ...func(*modelstest.Review)) []modelstest.Review {
	reviews := make([]modelstest.Review, n)
	for i := range reviews {
		reviews[i] = modelstest.Review{
			ID: fmt.Sprintf("%s%02d", prefix, i), Reviewer: fmt.Sprintf("user-%d", i), Reasoning: "Well sourced.", Review: []float32{1, 0},
			Age: time.Duration(i) * time.Minute,
		}
		for _, c := range change {
			c(&reviews[i])
		}
	}
	return reviews
}

func in(organizationID string) func(*modelstest.Review) {
	return func(r *modelstest.Review) { r.OrganizationID = organizationID }
}

func typed(contentType string) func(*modelstest.Review) {
	return func(r *modelstest.Review) { r.ContentType = contentType }
}

func elsewhere(r *modelstest.Review) { r.Review = []float32{0, 1} }

func rejecting(r *modelstest.Review) { r.Decision = "reject" }
