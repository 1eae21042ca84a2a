package person

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/erase"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/id"
	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/job"
	"github.com/redline-svc/redline/models/judgment"
	"github.com/redline-svc/redline/models/pattern"
)

// Erasure names people to be forgotten, in some organizations or, where it names none, in all.
type Erasure struct{ UserIDs, OrganizationIDs []string }

// Accepted is an erasure that is promised. Tasks is how many tasks it has.
type Accepted struct {
	JobID string
	Tasks int
}

// fingerprint is the same for the same request.
func (r Erasure) fingerprint() []byte {
	users, organizations := pg.Distinct(r.UserIDs), pg.Distinct(r.OrganizationIDs)
	slices.Sort(users)
	slices.Sort(organizations)
	text, _ := json.Marshal([][]string{users, organizations}) // texts are always written
	sum := sha256.Sum256(text)
	return sum[:]
}

// Erase ends the access of people, promises that all that is kept of them goes, and returns its job: the open one of
// the same request, if there is one. People who are known by too much together are refused, since each mark of them is looked for in
// every text. People of whom nothing is kept are no fault. Judgments in no organization go before the promise,
// as many as there are: who dies in between has forgotten some of them, and is asked again.
func (s *Persons) Erase(ctx context.Context, workspaceID string, r Erasure) (accepted Accepted, err error) {
	fingerprint := r.fingerprint()
	if len(r.OrganizationIDs) == 0 {
		if err := s.mayErase(ctx, workspaceID, r); err != nil {
			return accepted, err
		}
		if err := judgment.EraseInNone(ctx, s.db, workspaceID, pg.Distinct(r.UserIDs)); err != nil {
			return accepted, err
		}
	}
	err = s.db.InTx(ctx, func(tx *pg.Tx) error {
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtextextended('erasure/' || $1 || encode($2, 'hex'), 0))`, workspaceID, fingerprint); err != nil {
			return err
		}
		err := tx.QueryRow(ctx, `SELECT id, tasks_count FROM erasures WHERE workspace_id = $1 AND fingerprint = $2`, workspaceID, fingerprint).
			Scan(&accepted.JobID, &accepted.Tasks)
		if !pg.IsNoRow(err) {
			return err
		}
		accepted = Accepted{id.New(id.Erasure), len(tasks)}
		return s.accept(ctx, tx, workspaceID, accepted.JobID, fingerprint, r)
	})
	return accepted, err
}

// mayErase refuses an erasure of people in all organizations who are known by too much, before anything of them goes.
func (s *Persons) mayErase(ctx context.Context, workspaceID string, r Erasure) error {
	return s.db.Read(ctx, func(tx *pg.Tx) error {
		_, err := readMarks(ctx, tx, workspaceID, pg.Distinct(r.UserIDs), nil)
		return err
	})
}

// accept ends access and stores the erasure with its job.
func (s *Persons) accept(ctx context.Context, tx *pg.Tx, workspaceID, jobID string, fingerprint []byte, r Erasure) error {
	users := pg.Distinct(r.UserIDs)
	organizations, subjects, err := readScope(ctx, tx, workspaceID, r.OrganizationIDs)
	if err != nil {
		return err
	}
	others, err := readMarks(ctx, tx, workspaceID, users, organizations)
	if err != nil {
		return err
	}
	if err := directory.EraseAccess(ctx, tx, workspaceID, users, organizations, s.forget...); err != nil {
		return err
	}
	if err := judgment.Erase(ctx, tx, workspaceID, users, subjects); err != nil {
		return err
	}
	if err := pattern.EraseAlerts(ctx, tx, workspaceID, users, subjects); err != nil {
		return err
	}
	if err := job.Queue(ctx, tx, job.Job{WorkspaceID: workspaceID, ID: jobID, Kind: job.Erasure, Input: []byte("{}")}); err != nil {
		return err
	}
	b := &pgx.Batch{}
	b.Queue(`INSERT INTO erasures (id, workspace_id, fingerprint, pseudonym, organizations, subjects, tasks_count, tasks_left) VALUES ($1, $2, $3, $4, $5, $6, $7, $7)`,
		jobID, workspaceID, fingerprint, id.New(id.Pseudonym), organizations, subjects, len(tasks))
	b.Queue(`INSERT INTO erased_marks (erasure_id, workspace_id, n, is_id, mark)
SELECT $1, $2, row_number() OVER (), m.is_id, m.mark FROM (
    SELECT true AS is_id, u.id AS mark FROM unnest($3::text[]) u (id) UNION ALL SELECT false, o.mark FROM unnest($4::text[]) o (mark)) m`,
		jobID, workspaceID, users, others)
	return tx.SendBatch(ctx, b).Close()
}

// readScope returns the keys of organizations, and those of their subjects; nil for all.
func readScope(ctx context.Context, tx *pg.Tx, workspaceID string, ids []string) (organizations, subjects []int64, err error) {
	if len(ids) == 0 {
		return nil, nil, nil
	}
	organizations, subjects = []int64{}, []int64{}
	err = tx.QueryRow(ctx, `SELECT ARRAY(SELECT key FROM organizations WHERE workspace_id = $1 AND organization_id = ANY ($2)),
       ARRAY(SELECT key FROM subjects WHERE workspace_id = $1 AND parent_key IS NULL AND current AND id = ANY ($2))`, workspaceID, ids).
		Scan(&organizations, &subjects)
	return organizations, subjects, err
}

// knownBy are the descriptions of people $2: of their profiles, and of the last comments of each.
const knownBy = `
SELECT DISTINCT m.mark FROM (
    SELECT p.name, p.email, p.photo_url FROM profiles p
    WHERE hashtextextended(p.user_id, 0) = ANY (ARRAY(SELECT hashtextextended(u, 0) FROM unnest($2::text[]) u)) AND p.workspace_id = $1 AND p.user_id = ANY ($2)
          AND ($3::bigint[] IS NULL OR p.organization_key = ANY ($3))
    UNION ALL
    SELECT c.author->>'name', c.author->>'email', c.author->>'photoUrl' FROM unnest($2::text[]) u (id) CROSS JOIN LATERAL (
        SELECT author FROM comments WHERE hashtextextended(author_id, 0) = hashtextextended(u.id, 0) AND workspace_id = $1 AND author_id = u.id
        ORDER BY annotation_key DESC, seq DESC LIMIT 100) c
    UNION ALL
    SELECT j.user_name, j.user_email, NULL FROM unnest($2::text[]) u (id) CROSS JOIN LATERAL (
        SELECT user_name, user_email FROM judgments WHERE workspace_id = $1 AND user_id = u.id ORDER BY created_at DESC LIMIT 100) j
) k CROSS JOIN LATERAL unnest(ARRAY[k.name, k.email, k.photo_url]) m (mark)
WHERE m.mark <> '' AND m.mark <> ALL ($2) LIMIT $4`

// readMarks returns by what people are known besides their ids. Error: INVALID_ARGUMENT too-many-marks. No more are read:
// each of them may have another name in each organization.
func readMarks(ctx context.Context, tx *pg.Tx, workspaceID string, users []string, organizations []int64) ([]string, error) {
	most := max(0, erase.Most-len(users))
	rows, err := tx.Query(ctx, knownBy, workspaceID, users, organizations, most+1)
	if err != nil {
		return nil, err
	}
	marks, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err == nil && len(marks) > most {
		return nil, fault.InvalidReason("too-many-marks", fmt.Sprintf("these people are known by more than %d ids, names, addresses and pictures together, "+
			"and one request forgets no more: name fewer userIds, or some organizationIds first", erase.Most))
	}
	return marks, err
}

// ErasureStatus is how an erasure stands. LastTaskAt is nil until a task is done.
type ErasureStatus struct {
	job.Status

	TasksLeft  int
	LastTaskAt *time.Time
}

// ErasureStatus returns how an erasure stands. Error: NOT_FOUND.
func (s *Persons) ErasureStatus(ctx context.Context, workspaceID, jobID string) (*ErasureStatus, error) {
	e := &ErasureStatus{}
	err := s.readStatus(ctx, workspaceID, jobID, `SELECT tasks_left, last_task_at FROM erasures WHERE id = $2 AND workspace_id = $1`,
		&e.Status, &e.TasksLeft, &e.LastTaskAt)
	if err != nil {
		return nil, err
	}
	return e, nil
}

// erasure is an erasure that is being worked on.
type erasure struct {
	id, workspaceID         string
	marks                   *erase.Marks
	organizations, subjects []int64
	tasksCount, tasksLeft   int
	walked                  []string
}

// EraseSome does a portion of an erasure: one transaction, which keeps how far it has come. It returns how many rows it has dealt
// with and whether there is more to do; with the last portion the job has ended.
func (s *Persons) EraseSome(ctx context.Context, j *job.Job) (rows int64, more bool, err error) {
	err = s.db.InTx(ctx, func(tx *pg.Tx) error {
		e, err := openErasure(ctx, tx, j)
		if err != nil || e == nil {
			return err
		}
		next, changed, err := tasks[len(tasks)-e.tasksLeft](ctx, tx, e, e.walked)
		if err != nil {
			return err
		}
		rows, more = int64(changed), true
		if next != nil {
			_, err = tx.Exec(ctx, `UPDATE erasures SET walked = $2 WHERE id = $1`, e.id, next)
			return err
		}
		more = e.tasksLeft > 1
		return e.taskDone(ctx, tx)
	})
	return rows, more, err
}

// openErasure holds an erasure and reads it; nil when it has ended.
func openErasure(ctx context.Context, tx *pg.Tx, j *job.Job) (*erasure, error) {
	e := &erasure{id: j.ID, workspaceID: j.WorkspaceID}
	var pseudonym string
	var ids, others []string
	err := tx.QueryRow(ctx, `SELECT pseudonym, organizations, subjects, tasks_count, tasks_left, walked FROM erasures WHERE id = $1 AND tasks_left > 0 FOR UPDATE`, j.ID).
		Scan(&pseudonym, &e.organizations, &e.subjects, &e.tasksCount, &e.tasksLeft, &e.walked)
	if pg.IsNoRow(err) {
		return nil, nil //nolint:nilnil // one that has ended has no more to do
	}
	if err != nil {
		return nil, err
	}
	err = tx.QueryRow(ctx, `SELECT ARRAY(SELECT mark FROM erased_marks WHERE erasure_id = $1 AND is_id), ARRAY(SELECT mark FROM erased_marks WHERE erasure_id = $1 AND NOT is_id)`, j.ID).
		Scan(&ids, &others)
	e.marks = erase.New(pseudonym, ids, others)
	return e, err
}

// taskDone notes that a task is done; after the last one nobody knows any more whom the erasure was about.
func (e *erasure) taskDone(ctx context.Context, tx *pg.Tx) error {
	if _, err := tx.Exec(ctx, `UPDATE erasures SET tasks_left = tasks_left - 1, walked = NULL, last_task_at = clock_timestamp() WHERE id = $1`, e.id); err != nil {
		return err
	}
	if e.tasksLeft > 1 {
		return nil
	}
	if _, err := tx.Exec(ctx, `DELETE FROM erased_marks WHERE erasure_id = $1`, e.id); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, `UPDATE erasures SET fingerprint = NULL WHERE id = $1`, e.id); err != nil {
		return err
	}
	return job.End(ctx, tx, e.id, nil)
}
