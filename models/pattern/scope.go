package pattern

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/pattern"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/job"
	"github.com/redline-svc/redline/models/queue"
	"github.com/redline-svc/redline/models/subject"
)

// Patterns stores patterns.
type Patterns struct{ db *pg.DB }

// New makes the store.
func New(db *pg.DB) *Patterns { return &Patterns{db} }

// Scope is what is looked through at once: the judgments of an organization, or of the
// workspace as a whole, that have one content type, or any.
type Scope struct {
	WorkspaceID string
	// OrganizationKey is nil for the workspace as a whole, ContentType for all content.
	OrganizationKey *int64
	ContentType     *string
	// Now is the time of Postgres as the scope was found.
	Now time.Time
	// Alerts are what stands out in it.
	Alerts []pattern.Alert
	// Again has it looked through again soon: what was found is as good as it gets while
	// the index does not answer.
	Again bool

	key   int64
	jobID string
	// seen is the fingerprint of the judgments that were read.
	seen int64
}

// fingerprint is that of some judgments in their state, and of the model whose vectors
// serve: another one after each change.
const fingerprint = `bit_xor(hashint8extended(j.key, 2 * i.revision + i.indexed::int)) # hashtextextended(` + servingModel + `, 0)`

// servingModel is the model whose vectors serve, an empty text before there is one.
const servingModel = `coalesce((SELECT model FROM index_generations WHERE state = 'serving'), '')`

// decided keeps the judgments that patterns are found among, of the workspace $1: those
// of the last year, of subjects that are there and users who have not left. j is the table.
var decided = `j.workspace_id = $1 AND j.decision IN ('approve', 'reject') AND j.created_at > clock_timestamp() - interval '365 days'
      AND ` + subject.ShownAmong(subject.Judgments, "j.organization_key", "j.document_key") + `
      AND ` + subject.StayedAmong("j.organization_key", "j.user_id", "j.key")

// scopesAtOnce is how many scopes a job is given at most: the rest is for the next one.
const scopesAtOnce = 200

// listScopes gives a job what may have a pattern, which takes three judgments, and what
// has one, and forgets the rest. What was looked through within a day, with the same
// judgments in the same state, has the same patterns and is left out: so a change costs
// what is about its organization, and not what the workspace holds. What has changed comes
// before what is only old. Of what is left for the next job one is stored, without a job.
// Scopes are compared by what an index of hashes has, without NULL: there may be many.
var listScopes = `
WITH now AS (
    SELECT j.organization_key, j.content_type, ` + fingerprint + ` AS fingerprint
    FROM judgments j JOIN judgment_index i ON i.key = j.key WHERE ` + decided + `
    GROUP BY GROUPING SETS ((), (j.organization_key), (j.content_type), (j.organization_key, j.content_type))
    HAVING count(*) >= 3 AND (grouping(j.organization_key) = 1 OR j.organization_key IS NOT NULL)
), scopes AS (
    SELECT s.organization_key, s.content_type, coalesce(max(s.fingerprint), 0) AS fingerprint FROM (
        SELECT n.organization_key, n.content_type, n.fingerprint FROM now n
        UNION ALL SELECT DISTINCT p.organization_key, p.content_type, NULL::bigint FROM patterns p WHERE p.workspace_id = $1
    ) s GROUP BY s.organization_key, s.content_type
), forgotten AS (
    DELETE FROM pattern_scopes s WHERE s.workspace_id = $1 AND (coalesce(s.organization_key, 0), coalesce(s.content_type, '')) NOT IN (
        SELECT coalesce(n.organization_key, 0), coalesce(n.content_type, '') FROM scopes n)
), due AS (
    SELECT n.*, row_number() OVER (ORDER BY (s.looked = n.fingerprint) IS TRUE, s.looked_at NULLS FIRST,
               n.organization_key NULLS FIRST, n.content_type NULLS FIRST) AS place
    FROM scopes n LEFT JOIN pattern_scopes s ON s.workspace_id = $1
     AND coalesce(s.organization_key, 0) = coalesce(n.organization_key, 0) AND coalesce(s.content_type, '') = coalesce(n.content_type, '')
    WHERE (s.looked = n.fingerprint AND s.looked_at > clock_timestamp() - ` + fresh + `) IS NOT TRUE
)
INSERT INTO pattern_scopes AS s (workspace_id, organization_key, content_type, fingerprint, job_id)
SELECT $1, n.organization_key, n.content_type, n.fingerprint, CASE WHEN n.place <= $3 THEN $2 END FROM due n WHERE n.place <= $3 + 1
ON CONFLICT (workspace_id, organization_key, content_type) DO UPDATE SET fingerprint = excluded.fingerprint, job_id = excluded.job_id,
       looked = CASE WHEN excluded.job_id IS NOT NULL THEN s.looked END`

// Next returns what a job has to look through next; nil when it has looked through
// everything, or has ended.
func (p *Patterns) Next(ctx context.Context, j *job.Job) (*Scope, error) {
	var next *Scope
	err := p.db.InTx(ctx, func(tx *pg.Tx) error {
		mine, err := list(ctx, tx, j)
		if err != nil || !mine {
			return err
		}
		s := Scope{WorkspaceID: j.WorkspaceID, jobID: j.ID}
		err = tx.QueryRow(ctx, `SELECT key, organization_key, content_type, clock_timestamp() FROM pattern_scopes
WHERE workspace_id = $1 AND job_id = $2 ORDER BY organization_key NULLS FIRST, content_type NULLS FIRST LIMIT 1`, j.WorkspaceID, j.ID).Scan(&s.key, &s.OrganizationKey, &s.ContentType, &s.Now)
		if pg.IsNoRow(err) {
			if err := raise(ctx, tx, j.WorkspaceID); err != nil {
				return err
			}
			return lookAgain(ctx, tx, j.WorkspaceID)
		}
		next = &s
		return err
	})
	if err != nil {
		return nil, err
	}
	return next, nil
}

// list lists the scopes for a job that has not done so, also those that others left. It
// gives whether the job is the open one: one that has ended lists nothing, so whoever
// still works on it finds nothing to do.
func list(ctx context.Context, tx *pg.Tx, j *job.Job) (mine bool, err error) {
	if mine, err = listed(ctx, tx, j); mine || err != nil {
		return mine, err
	}
	if mine, err = job.Hold(ctx, tx, j.ID); !mine || err != nil {
		return false, err
	}
	b := &pgx.Batch{}
	b.Queue(`UPDATE pattern_runs SET job_id = $2 WHERE workspace_id = $1`, j.WorkspaceID, j.ID)
	b.Queue(listScopes, j.WorkspaceID, j.ID, scopesAtOnce)
	return true, tx.SendBatch(ctx, b).Close()
}

// listed holds the list of a workspace and gives whether it is that of the job.
func listed(ctx context.Context, tx *pg.Tx, j *job.Job) (mine bool, err error) {
	b := &pgx.Batch{}
	b.Queue(`INSERT INTO pattern_runs (workspace_id, job_id, model) SELECT $1, '', `+servingModel+` ON CONFLICT DO NOTHING`, j.WorkspaceID)
	b.Queue(`SELECT job_id = $2 FROM pattern_runs WHERE workspace_id = $1 FOR UPDATE`, j.WorkspaceID, j.ID).
		QueryRow(func(row pgx.Row) error { return row.Scan(&mine) })
	return mine, tx.SendBatch(ctx, b).Close()
}

// lookAgain has the patterns of a workspace looked for in a day, unless it has too few
// judgments for any: when those that disagree have grown too old, the rest may be one. What
// has to be looked through again does not wait that long, and what was left for the next job
// only until others have had their turn.
func lookAgain(ctx context.Context, tx *pg.Tx, workspaceID string) error {
	var scopes, unlooked, left bool
	err := tx.QueryRow(ctx, `SELECT count(*) > 0, count(*) FILTER (WHERE looked IS NULL) > 0,
       count(*) FILTER (WHERE looked IS NULL AND coalesce(looked_at, '-infinity') < clock_timestamp() - $2::interval) > 0
FROM pattern_scopes WHERE workspace_id = $1`, workspaceID, latestChange).Scan(&scopes, &unlooked, &left)
	if err != nil || !scopes {
		return err
	}
	next := queue.Work{Kind: queue.Patterns, Key: workspaceID, WorkspaceID: workspaceID, After: again}
	switch {
	case left:
		next.After = quiet
	case unlooked:
		next.After = latestChange
	}
	queue.Put(tx, next)
	return nil
}
