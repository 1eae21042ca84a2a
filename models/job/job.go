package job

import (
	"context"
	"encoding/json"
	"time"

	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/nudge"
)

// Kinds of jobs.
const (
	// Migration gives a document another id.
	Migration = "migration"
	// Removal removes the rows of what was deleted.
	Removal = "removal"
	// Detection looks for the patterns of a workspace, which has one open at a time.
	Detection = "detection"
	// Recovery queues again what an endpoint missed; its runs are found by this word.
	Recovery = "recover"
)

// Job is work that is owed. Input says what to do, as JSON in the form of the kind.
type Job struct {
	WorkspaceID, ID, Kind string
	Input                 json.RawMessage
}

// Ref names a job and its kind.
type Ref struct{ WorkspaceID, ID, Kind string }

// Failure is why a job has failed, for its caller: a status of the interface and a
// sentence.
type Failure struct{ Code, Message string }

// Queue promises a job: from the commit of the transaction on it is owed.
func Queue(ctx context.Context, tx *pg.Tx, j Job) error {
	tx.WakeAll(nudge.Jobs)
	return gorm.G[row](tx.Gorm()).Create(ctx, &row{ID: j.ID, WorkspaceID: j.WorkspaceID, Kind: j.Kind, Input: j.Input})
}

// QueueOnly is Queue for a kind of which a workspace has one open job at a time. It gives
// whether the job is that one: while there is another, nothing is promised.
func QueueOnly(ctx context.Context, tx *pg.Tx, j Job) (queued bool, err error) {
	made := tx.Gorm().WithContext(ctx).Clauses(clause.OnConflict{DoNothing: true}).
		Create(&row{ID: j.ID, WorkspaceID: j.WorkspaceID, Kind: j.Kind, Input: j.Input})
	if queued = made.RowsAffected > 0; queued {
		tx.WakeAll(nudge.Jobs)
	}
	return queued, made.Error
}

// Jobs stores jobs.
type Jobs struct{ db *pg.DB }

// New makes the store.
func New(db *pg.DB) *Jobs { return &Jobs{db} }

const (
	// driveAgain is when a job in work is offered to the engine again; for one that
	// has a run, that changes nothing.
	driveAgain = 30 * time.Second
	// Working is how many jobs of one workspace have runs at the same time; the others
	// wait for their turn, so that a workspace which deletes much leaves room for the
	// rest.
	Working = 2
	// keptDays is how long a job can be asked about after its end.
	keptDays = 30
)

// claim claims jobs for the engine.
var claim = pg.Queue{
	Update: `UPDATE jobs`, From: `FROM jobs`, Waiting: "queued", Working: "working",
	Order: `created_at, id`, Columns: `workspace_id, id, kind`,
}.Statement()

// Claim claims up to limit jobs for which the engine is to be asked for a run, of
// workspaces in turn, beginning behind the workspace after. They are due again after
// half a minute, until they have ended. last is where the next claim begins.
func (j *Jobs) Claim(ctx context.Context, after string, limit int) (claimed []Ref, last string, err error) {
	rows, last, err := j.db.Claim(ctx, claim, after, limit, Working, driveAgain)
	for _, row := range rows {
		claimed = append(claimed, Ref{row[0], row[1], row[2]})
	}
	return claimed, last, err
}

// Back makes a claimed job due at once: the engine did not take it.
func (j *Jobs) Back(ctx context.Context, of Ref) error {
	_, err := gorm.G[row](j.db.Gorm).Where("id = ? AND state = ?", of.ID, "working").Update(ctx, "drive_after", pg.Clock)
	return pg.Translate(err)
}

// Begin gives a job to whoever works on it and notes since when; nil when it has
// ended or is gone. By hand, since it changes and reads in one trip.
func (j *Jobs) Begin(ctx context.Context, id string) (*Job, error) {
	var begun Job
	err := j.db.Pool.QueryRow(ctx, `UPDATE jobs SET started_at = coalesce(started_at, clock_timestamp()) WHERE id = $1 AND ended_at IS NULL
RETURNING workspace_id, id, kind, input`, id).Scan(&begun.WorkspaceID, &begun.ID, &begun.Kind, &begun.Input)
	if pg.IsNoRow(err) {
		return nil, nil //nolint:nilnil // nothing to do is a valid answer
	}
	return &begun, pg.Translate(err)
}

// Hold keeps a job from ending until the transaction has ended, and gives whether it is
// open. By hand: a lock is no query of GORM's.
func Hold(ctx context.Context, tx *pg.Tx, id string) (open bool, err error) {
	err = tx.QueryRow(ctx, `SELECT true FROM jobs WHERE id = $1 AND ended_at IS NULL FOR SHARE`, id).Scan(&open)
	if pg.IsNoRow(err) {
		return false, nil
	}
	return open, err
}

// Progress notes that the job has dealt with so many rows more.
func (j *Jobs) Progress(ctx context.Context, id string, rows int64) error {
	_, err := gorm.G[row](j.db.Gorm).Where("id = ?", id).Update(ctx, "done", gorm.Expr("done + ?", rows))
	return pg.Translate(err)
}

// End ends a job in the transaction of its last change, as completed without a
// failure. A job that has ended stays as it is.
func End(ctx context.Context, tx *pg.Tx, id string, why *Failure) error {
	state := map[string]any{"state": "completed", "ended_at": pg.Clock}
	if why != nil {
		state = map[string]any{"state": "failed", "ended_at": pg.Clock, "error_code": why.Code, "error_message": why.Message}
	}
	tx.WakeAll(nudge.Jobs) // one that waits has its turn
	return tx.Gorm().WithContext(ctx).Model(row{}).Where("id = ? AND ended_at IS NULL", id).Updates(state).Error
}

// Complete ends a job whose last change is committed, unless that has ended it, and
// gives the state that it ended in.
func (j *Jobs) Complete(ctx context.Context, id string) (state string, err error) {
	err = j.db.InTx(ctx, func(tx *pg.Tx) error {
		if err := End(ctx, tx, id, nil); err != nil {
			return err
		}
		return tx.Gorm().WithContext(ctx).Model(row{}).Where("id = ?", id).Select("state").Scan(&state).Error
	})
	return state, err
}

// Expire removes jobs that ended 30 days ago, so many at once, and gives how many.
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
