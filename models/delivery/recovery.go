package delivery

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/id"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/job"
	"github.com/redline-svc/redline/models/workspace"
)

// Recovery queues again what an endpoint missed between two times, by a job.
type Recovery struct {
	ID, EndpointID     string
	Since, Until       time.Time
	Examined, Requeued int64

	status job.Status
}

// States of a recovery.
const (
	RecoveryRunning   = "running"
	RecoveryCompleted = "completed"
	RecoveryFailed    = "failed"
)

// State is that of the recovery.
func (r Recovery) State() string {
	switch {
	case r.status.Failure != nil:
		return RecoveryFailed
	case r.status.EndedAt != nil:
		return RecoveryCompleted
	default:
		return RecoveryRunning
	}
}

// insertRecovery makes nothing where the endpoint has an open one.
const insertRecovery = `
INSERT INTO recoveries (id, workspace_id, endpoint_id, since, until) VALUES ($1, $2, $3, $4, coalesce($5, clock_timestamp()))
ON CONFLICT (endpoint_id) WHERE open DO NOTHING RETURNING until`

// Recover promises a recovery, until now where no end is given. Errors: the gate;
// NOT_FOUND; FAILED_PRECONDITION (endpoint-disabled); ABORTED (recovery-running).
func (w *Endpoints) Recover(ctx context.Context, workspaceID string, caller workspace.Caller, ref string, since time.Time, until *time.Time) (Recovery, error) {
	made := Recovery{ID: id.New(id.Recovery), Since: since}
	err := w.db.InTx(ctx, func(tx *pg.Tx) error {
		e, err := findEnabled(ctx, tx, workspaceID, ref, lockToKeep)
		if err != nil {
			return err
		}
		if e.Disabled {
			return disabledEndpoint()
		}
		made.EndpointID = e.ID
		if err := job.Queue(ctx, tx, job.Job{WorkspaceID: workspaceID, ID: made.ID, Kind: job.Recovery, Input: []byte("{}")}); err != nil {
			return err
		}
		err = tx.QueryRow(ctx, insertRecovery, made.ID, workspaceID, e.ID, since, until).Scan(&made.Until)
		if pg.IsNoRow(err) {
			return fault.Aborted("recovery-running", "the endpoint has a recovery that is still running")
		}
		if err != nil {
			return err
		}
		b := &pgx.Batch{}
		caller.Audit(e.ID, "recovery").Queue(b)
		return tx.SendBatch(ctx, b).Close()
	})
	return made, err
}

// Recovery returns how a recovery stands. Errors: the gate; NOT_FOUND.
func (w *Endpoints) Recovery(ctx context.Context, workspaceID, recoveryID string) (Recovery, error) {
	if err := requireEnabled(ctx, w.db.Gorm, workspaceID); err != nil {
		return Recovery{}, pg.Translate(err)
	}
	var found Recovery
	var status *job.Status
	err := w.db.Read(ctx, func(tx *pg.Tx) error {
		return tx.Send(ctx, func(b *pgx.Batch) {
			b.Queue(`SELECT id, endpoint_id, since, until, examined, requeued FROM recoveries WHERE workspace_id = $1 AND id = $2`, workspaceID, recoveryID).
				Query(func(rows pgx.Rows) error {
					_, err := pgx.ForEachRow(rows, []any{&found.ID, &found.EndpointID, &found.Since, &found.Until, &found.Examined, &found.Requeued},
						func() error { return nil })
					return err
				})
			job.StatusOf(b, workspaceID, recoveryID, &status)
		})
	})
	if err != nil {
		return Recovery{}, err
	}
	if found.ID == "" || status == nil {
		return Recovery{}, fault.NotFound("recovery")
	}
	found.status = *status
	return found, nil
}

// RecoverSome looks at some of the messages of a recovery, from the oldest on, and
// queues those that its endpoint missed. Where it has come to is kept in the same
// transaction, so nothing is queued twice, and it ends the job with the last of them.
// It returns how many messages it queued, and whether there are more.
func (w *Endpoints) RecoverSome(ctx context.Context, j *job.Job, atOnce int) (requeued int64, more bool, err error) {
	err = w.db.InTx(ctx, func(tx *pg.Tx) error {
		requeued, more = 0, false
		at, err := gorm.G[recoveryRow](tx.Gorm(), lockToChange).Scopes(pg.Tenant(j.WorkspaceID)).Where("id = ? AND open", j.ID).Take(ctx)
		if pg.IsNoRow(err) {
			return nil // another try has ended it
		}
		if err != nil {
			return err
		}
		why, err := forbids(ctx, tx, at)
		if err != nil {
			return err
		}
		if why != nil {
			return at.end(ctx, tx, why)
		}
		done, err := at.queueMissed(ctx, tx, atOnce)
		if err != nil {
			return err
		}
		requeued, more = done.requeued, done.more
		return at.advance(ctx, tx, done)
	})
	return requeued, more, err
}

// forbids returns why a recovery cannot go on: its endpoint was deleted or disabled, or
// webhooks were switched off. Otherwise it holds the endpoint.
func forbids(ctx context.Context, tx *pg.Tx, at recoveryRow) (*job.Failure, error) {
	e, err := findEnabled(ctx, tx, at.WorkspaceID, at.EndpointID, lockToKeep)
	switch {
	case err == nil && e.ID != at.EndpointID: // another one has the id as its uid
		err = fault.NotFound("endpoint")
	case err == nil && e.Disabled:
		err = disabledEndpoint()
	case err == nil:
		return nil, nil //nolint:nilnil // nothing forbids it
	}
	if known := fault.From(err); known.Status == fault.StatusNotFound || known.Status == fault.StatusFailedPrecondition {
		return &job.Failure{Code: string(known.Status), Message: known.Message}, nil
	}
	return nil, err
}

// advance keeps where the recovery has come to, and ends it behind the last message.
func (at recoveryRow) advance(ctx context.Context, tx *pg.Tx, done recovered) error {
	_, err := tx.Exec(ctx, `UPDATE recoveries SET behind = $2, examined = examined + $3, requeued = requeued + $4 WHERE id = $1`,
		at.ID, done.behind, done.examined, done.requeued)
	if err != nil || done.more {
		return err
	}
	return at.end(ctx, tx, nil)
}

// end ends the recovery with its job.
func (at recoveryRow) end(ctx context.Context, tx *pg.Tx, why *job.Failure) error {
	if _, err := tx.Exec(ctx, `UPDATE recoveries SET open = false WHERE id = $1`, at.ID); err != nil {
		return err
	}
	return job.End(ctx, tx, at.ID, why)
}
