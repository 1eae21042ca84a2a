package person

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/models/annotation"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/judgment"
)

// task does a portion of one task of an erasure, behind a position, nil at the beginning. It returns the position to go on at, nil
// when the task is done, and how many rows it has changed.
type task func(ctx context.Context, tx *pg.Tx, e *erasure, after []string) (next []string, changed int, err error)

// tasks are those of every erasure, in their order: what is only removed, then what stays without the people. What an annotation
// leaves behind when it goes comes after annotations.
var tasks = append([]task{
	eraseJudgments, eraseAnnotations, some(removeRecipients), some(removePreferences), some(removeMails), some(removeExports), eraseReviewers, dropBodies,
}, walks()...)

// walks are the tasks of the places.
func walks() (all []task) {
	for _, p := range places {
		all = append(all, func(ctx context.Context, tx *pg.Tx, e *erasure, after []string) ([]string, int, error) {
			return e.walk(ctx, tx, p, after)
		})
	}
	return all
}

// again is the position of a task that finds what is left by looking.
var again = []string{}

func eraseJudgments(ctx context.Context, tx *pg.Tx, e *erasure, _ []string) ([]string, int, error) {
	n, err := judgment.EraseSome(ctx, tx, e.workspaceID, e.marks.IDs(), e.subjects)
	if n == 0 {
		return nil, 0, err
	}
	return again, n, err
}

func eraseAnnotations(ctx context.Context, tx *pg.Tx, e *erasure, after []string) ([]string, int, error) {
	behind := ""
	if len(after) > 0 {
		behind = after[0]
	}
	last, changed, err := annotation.Erasure{WorkspaceID: e.workspaceID, Organizations: e.organizations, Marks: e.marks}.Erase(ctx, tx, behind)
	if last == "" {
		return nil, changed, err
	}
	return []string{last}, changed, err
}

// Statements that remove some rows of the people $2 in the workspace $1 and the organizations $3, at most $4.
const (
	removeRecipients = `
DELETE FROM notification_recipients WHERE ctid = ANY (ARRAY(
    SELECT r.ctid FROM organizations o CROSS JOIN LATERAL (
        SELECT ctid FROM notification_recipients WHERE organization_key = o.key AND user_id = ANY ($2) LIMIT $4) r
    WHERE o.workspace_id = $1 AND ($3::bigint[] IS NULL OR o.key = ANY ($3)) LIMIT $4))`
	removePreferences = `
DELETE FROM notification_preferences WHERE ctid = ANY (ARRAY(
    SELECT p.ctid FROM organizations o CROSS JOIN LATERAL (
        SELECT ctid FROM notification_preferences WHERE organization_key = o.key AND user_id = ANY ($2) LIMIT $4) p
    WHERE o.workspace_id = $1 AND ($3::bigint[] IS NULL OR o.key = ANY ($3)) LIMIT $4))`
	// A mail that waits has ended by then; one that is being sent is looked for by nobody afterwards.
	removeMails = `
DELETE FROM mails WHERE id = ANY (ARRAY(
    SELECT m.id FROM mails m WHERE m.workspace_id = $1
           AND ($3::bigint[] IS NULL OR m.organization_id IN (SELECT o.organization_id FROM organizations o WHERE o.key = ANY ($3)))
           AND (m.user_id = ANY ($2) OR m.recipient = ANY ($5)) ORDER BY m.id LIMIT $4 FOR UPDATE))`
	removeExports = `
DELETE FROM exports WHERE id = ANY (ARRAY(
    SELECT id FROM exports WHERE workspace_id = $1 AND user_id = ANY ($2) AND ($3::bigint[] IS NULL OR organization_key = ANY ($3)) LIMIT $4))`
)

// some is the task of a statement that removes some rows.
func some(statement string) task {
	return func(ctx context.Context, tx *pg.Tx, e *erasure, _ []string) ([]string, int, error) {
		args := []any{e.workspaceID, e.marks.IDs(), e.organizations, walkedAtOnce}
		if statement == removeMails {
			args = append(args, e.marks.All())
		}
		done, err := tx.Exec(ctx, statement, args...)
		if err != nil || done.RowsAffected() == 0 {
			return nil, 0, err
		}
		return again, int(done.RowsAffected()), nil
	}
}

// reviewersOf are executions behind the id $2 with reviewers $3, in the organizations $4.
const reviewersOf = `
SELECT DISTINCT r.execution_id FROM step_reviewers r
WHERE r.workspace_id = $1 AND r.execution_id > $2 AND (r.user_id = ANY ($3) OR r.replaces = ANY ($3))
      AND ($4::bigint[] IS NULL OR (SELECT x.organization_key = ANY ($4) FROM executions x WHERE x.workspace_id = r.workspace_id AND x.id = r.execution_id))
ORDER BY r.execution_id LIMIT 100`

const eraseReviewer = `
UPDATE step_reviewers r SET user_id = n.pseudonym FROM (
    SELECT execution_id, step_id, user_id, $4 || CASE WHEN row_number() OVER w > 1 THEN '.' || row_number() OVER w ELSE '' END AS pseudonym
    FROM step_reviewers WHERE workspace_id = $1 AND execution_id = ANY ($2) AND user_id = ANY ($3)
    WINDOW w AS (PARTITION BY execution_id, step_id ORDER BY position, user_id)) n
WHERE r.workspace_id = $1 AND r.execution_id = n.execution_id AND r.step_id = n.step_id AND r.user_id = n.user_id`

// eraseReviewers puts the pseudonym in the place of reviewers. Where several of a step go together each gets a number, since
// votes are counted by person.
func eraseReviewers(ctx context.Context, tx *pg.Tx, e *erasure, after []string) ([]string, int, error) {
	behind := ""
	if len(after) > 0 {
		behind = after[0]
	}
	rows, err := tx.Query(ctx, reviewersOf, e.workspaceID, behind, e.marks.IDs(), e.subjects)
	if err != nil {
		return nil, 0, err
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(ids) == 0 {
		return nil, 0, err
	}
	b := &pgx.Batch{}
	b.Queue(lockExecutions, e.workspaceID, ids)
	b.Queue(eraseReviewer, e.workspaceID, ids, e.marks.IDs(), e.marks.Pseudonym)
	b.Queue(`UPDATE step_reviewers SET replaces = $4 WHERE workspace_id = $1 AND execution_id = ANY ($2) AND replaces = ANY ($3)`,
		e.workspaceID, ids, e.marks.IDs(), e.marks.Pseudonym)
	return ids[len(ids)-1:], len(ids), tx.SendBatch(ctx, b).Close()
}

// bodiesBehind are messages behind the id $2, with the body of those that may name people ($3).
const bodiesBehind = `
SELECT m.id, CASE WHEN may_name(convert_from(b.body, 'UTF8'), $3) THEN b.body END FROM messages m LEFT JOIN message_bodies b ON b.message_id = m.id
WHERE m.workspace_id = $1 AND m.id > $2 ORDER BY m.id LIMIT 200`

// dropBodies removes what endpoints got, or are to get, where it names people: as if it were too old.
func dropBodies(ctx context.Context, tx *pg.Tx, e *erasure, after []string) (next []string, changed int, err error) {
	behind := ""
	if len(after) > 0 {
		behind = after[0]
	}
	rows, err := tx.Query(ctx, bodiesBehind, e.workspaceID, behind, e.marks.All())
	if err != nil {
		return nil, 0, err
	}
	var named []string
	var id string
	var body []byte
	if _, err = pgx.ForEachRow(rows, []any{&id, &body}, func() error {
		next = []string{id}
		if body != nil && e.marks.Names(body) {
			named = append(named, id)
		}
		return nil
	}); err != nil || len(named) == 0 {
		return next, 0, err
	}
	_, err = tx.Exec(ctx, `DELETE FROM message_bodies WHERE message_id = ANY ($1)`, named)
	return next, len(named), err
}
