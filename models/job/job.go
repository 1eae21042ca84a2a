package job

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/queue"
)

// Kinds of jobs.
const (
	// Migration gives a document another id.
	Migration = "migration"
	// Removal removes the rows of what was deleted.
	Removal = "removal"
	// WorkspaceRemoval removes a workspace that was deleted, itself among what goes.
	WorkspaceRemoval = "workspace-removal"
	// Detection looks for the patterns of a workspace, which has one open at a time.
	Detection = "detection"
	// Recovery queues again what an endpoint missed; its runs are found by this word.
	Recovery = "recover"
	// Notification notifies those of a change whom its transaction did not.
	Notification = "notification"
	// Erasure forgets people.
	Erasure = "erasure"
	// Export writes a file with what is kept of a person.
	Export = "export"
	// Fanout makes those deliveries of a change that its transaction did not.
	Fanout = "fanout"
)

// Job is work that was promised. Input says what to do, as JSON in the form of the kind.
type Job struct {
	WorkspaceID, ID, Kind string
	Input                 json.RawMessage
	// After is how long after the commit it is begun, where it has not begun yet.
	After time.Duration
}

// Ref names a job and its kind.
type Ref struct{ WorkspaceID, ID, Kind string }

// Failure is why a job has failed, for its caller: a status of the interface and a
// sentence.
type Failure struct{ Code, Message string }

// Queue promises a job: from the commit of the transaction on it is to be done.
func Queue(ctx context.Context, tx *pg.Tx, j Job) error {
	j.put(tx)
	return gorm.G[row](tx.Gorm()).Create(ctx, &row{ID: j.ID, WorkspaceID: j.WorkspaceID, Kind: j.Kind, Input: j.Input})
}

// QueueOnly is Queue for a kind of which a workspace has one open job at a time. It reports
// whether the job is that one: while there is another, nothing is promised.
func QueueOnly(ctx context.Context, tx *pg.Tx, j Job) (queued bool, err error) {
	made := tx.Gorm().WithContext(ctx).Clauses(clause.OnConflict{DoNothing: true}).
		Create(&row{ID: j.ID, WorkspaceID: j.WorkspaceID, Kind: j.Kind, Input: j.Input})
	if queued = made.RowsAffected > 0; queued {
		j.put(tx)
	}
	return queued, made.Error
}

// put queues the work of a job. That of a workspace which is deleted waits for nobody.
func (j Job) put(tx *pg.Tx) {
	w := queue.Work{Kind: queue.Jobs, Key: j.ID, WorkspaceID: j.WorkspaceID, After: j.After}
	if j.Kind == WorkspaceRemoval {
		w.WorkspaceID, w.Group = "", j.ID
	}
	queue.Put(tx, w)
}

// Jobs stores jobs.
type Jobs struct{ db *pg.DB }

// New makes the store.
func New(db *pg.DB) *Jobs { return &Jobs{db} }

// keptDays is how long a job can be asked about after its end.
const keptDays = 30

// Open returns which job an id is of; nil when it has ended or is gone.
func (j *Jobs) Open(ctx context.Context, id string) (*Ref, error) {
	found, err := gorm.G[row](j.db.Gorm).Where("id = ? AND ended_at IS NULL", id).Take(ctx)
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return nil, nil //nolint:nilnil // nothing to do is a valid answer
	}
	return &Ref{found.WorkspaceID, found.ID, found.Kind}, pg.Translate(err)
}

// Begin returns a job to whoever works on it, notes since when, and keeps it locked; nil when
// it has ended or is gone, or its workspace is stopped: it waits in the queue then. By hand, since it changes and reads in one trip.
func (j *Jobs) Begin(ctx context.Context, id string) (begun *Job, err error) {
	b := &pgx.Batch{}
	b.Queue(`UPDATE jobs SET started_at = coalesce(started_at, clock_timestamp()) WHERE id = $1 AND ended_at IS NULL
      AND (kind = $2 OR NOT EXISTS (SELECT FROM workspaces w WHERE w.id = jobs.workspace_id AND w.stopped_at IS NOT NULL))
RETURNING workspace_id, id, kind, input`, id, WorkspaceRemoval).Query(func(rows pgx.Rows) error {
		var found Job
		_, err := pgx.ForEachRow(rows, []any{&found.WorkspaceID, &found.ID, &found.Kind, &found.Input}, func() error {
			begun = &found
			return nil
		})
		return err
	})
	queue.Extend(b, queue.Jobs, id)
	return begun, pg.Translate(j.db.Pool.SendBatch(ctx, b).Close())
}

// Hold keeps a job from ending until the transaction has ended, and reports whether it is
// open. By hand: a lock is no query of GORM's.
func Hold(ctx context.Context, tx *pg.Tx, id string) (open bool, err error) {
	err = tx.QueryRow(ctx, `SELECT true FROM jobs WHERE id = $1 AND ended_at IS NULL FOR SHARE`, id).Scan(&open)
	if pg.IsNoRow(err) {
		return false, nil
	}
	return open, err
}

// Progress notes that the job has dealt with so many rows more, and keeps it locked.
func (j *Jobs) Progress(ctx context.Context, id string, rows int64) error {
	b := &pgx.Batch{}
	Advance(b, id, rows)
	return pg.Translate(j.db.Pool.SendBatch(ctx, b).Close())
}

// Advance queues what Progress does, for a job that notes each portion in the transaction of it.
func Advance(b *pgx.Batch, id string, rows int64) {
	b.Queue(`UPDATE jobs SET done = done + $2 WHERE id = $1`, id, rows)
	queue.Extend(b, queue.Jobs, id)
}

// Dealt returns with how many rows a job has dealt, and whether it is open. Until the transaction has ended nobody else notes more. By
// hand, as Hold.
func Dealt(ctx context.Context, tx *pg.Tx, id string) (rows int64, open bool, err error) {
	err = tx.QueryRow(ctx, `SELECT done FROM jobs WHERE id = $1 AND ended_at IS NULL FOR NO KEY UPDATE`, id).Scan(&rows)
	if pg.IsNoRow(err) {
		return 0, false, nil
	}
	return rows, err == nil, err
}

// End ends a job in the transaction of its last change, as completed without a
// failure. A job that has ended stays as it is.
func End(ctx context.Context, tx *pg.Tx, id string, why *Failure) error {
	state := map[string]any{"ended_at": pg.Clock}
	if why != nil {
		state["error_code"], state["error_message"] = why.Code, why.Message
	}
	queue.Remove(tx, queue.Jobs, id)
	tx.NotifyAll(queue.Jobs.Topic()) // another one of the workspace may have its turn
	return tx.Gorm().WithContext(ctx).Model(row{}).Where("id = ? AND ended_at IS NULL", id).Updates(state).Error
}

// Complete ends a job whose last change is committed, unless that has ended it, and
// returns the state that it ended in, completed or failed; completed too where its row has gone with
// its last change.
func (j *Jobs) Complete(ctx context.Context, id string) (state string, err error) {
	err = j.db.InTx(ctx, func(tx *pg.Tx) error {
		if err := End(ctx, tx, id, nil); err != nil {
			return err
		}
		return tx.Gorm().WithContext(ctx).Model(row{}).Where("id = ?", id).
			Select("CASE WHEN error_code IS NULL THEN 'completed' ELSE 'failed' END").Scan(&state).Error
	})
	return cmp.Or(state, "completed"), err
}

// Expire removes jobs that ended 30 days ago, so many at once, and returns how many.
func (j *Jobs) Expire(ctx context.Context, atOnce int) (int64, error) {
	return j.db.RemoveAged(ctx, pg.Aged{Remove: `DELETE FROM jobs`, At: "ended_at"}, pg.Days(keptDays), atOnce)
}

// Status is how a job stands. Its times are nil as long as they have not come.
type Status struct {
	CreatedAt          time.Time
	StartedAt, EndedAt *time.Time
	// Failure is nil unless the job has failed.
	Failure *Failure
}

// States of a job.
const (
	Pending    = "pending"
	InProgress = "in_progress"
	Completed  = "completed"
	Failed     = "failed"
)

// State is that of the job: pending until a run works on it.
func (s Status) State() string {
	switch {
	case s.Failure != nil:
		return Failed
	case s.EndedAt != nil:
		return Completed
	case s.StartedAt != nil:
		return InProgress
	default:
		return Pending
	}
}

// StatusOf queues the question how a job stands; into stays nil when there is none.
func StatusOf(b *pgx.Batch, workspaceID, id string, into **Status) {
	b.Queue(`SELECT created_at, started_at, ended_at, error_code, error_message FROM jobs WHERE id = $1 AND workspace_id = $2`, id, workspaceID).
		Query(func(rows pgx.Rows) error {
			var s Status
			var code, message *string
			_, err := pgx.ForEachRow(rows, []any{&s.CreatedAt, &s.StartedAt, &s.EndedAt, &code, &message}, func() error {
				if code != nil {
					s.Failure = &Failure{*code, *message}
				}
				*into = &s
				return nil
			})
			return err
		})
}
