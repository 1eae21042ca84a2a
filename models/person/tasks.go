package person

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/email"
	"github.com/redline-svc/redline/models/annotation"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/judgment"
)

// task does a portion of one task of an erasure, behind a position, nil at the beginning. It returns the position to go on at, nil
// when the task is done, and how many rows it has changed.
type task func(ctx context.Context, tx *pg.Tx, e *erasure, after []string) (next []string, changed int, err error)

// tasks are those of every erasure, in their order: what is only removed, then what stays without the people. What an annotation
// leaves behind when it goes comes after annotations. The last one is about the runs of executions, which begin anew from rows
// that have the pseudonym by then.
var tasks = slices.Concat([]task{
	eraseJudgments, eraseAnnotations, some(removeRecipients), some(removePreferences), some(removeMails), some(removeExports), some(removeInvitations), eraseReviewers, dropBodies,
}, walks(), []task{eraseRuns})

// walks are the tasks of the places.
func walks() (all []task) {
	for _, p := range places {
		all = append(all, func(ctx context.Context, tx *pg.Tx, e *erasure, after []string) ([]string, int, error) {
			return e.walk(ctx, tx, p, after)
		})
	}
	return all
}

// behindID is the id at a position, empty at the beginning.
func behindID(after []string) string {
	if len(after) == 0 {
		return ""
	}
	return after[0]
}

// again is the position of a task that finds what is left by looking.
var again = []string{}

func eraseJudgments(ctx context.Context, tx *pg.Tx, e *erasure, _ []string) ([]string, int, error) {
	n, more, err := judgment.EraseSome(ctx, tx, e.workspaceID, e.marks.IDs(), e.subjects)
	if more {
		return again, n, err
	}
	return nil, n, err
}

func eraseAnnotations(ctx context.Context, tx *pg.Tx, e *erasure, after []string) ([]string, int, error) {
	last, changed, err := annotation.Erasure{WorkspaceID: e.workspaceID, Organizations: e.organizations, Marks: e.marks}.Erase(ctx, tx, behindID(after))
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
	// Of their e-mails $5 are what e-mails are compared by.
	removeInvitations = `
DELETE FROM invitations WHERE ctid = ANY (ARRAY(
    SELECT i.ctid FROM organizations o CROSS JOIN LATERAL (
        (SELECT ctid FROM invitations WHERE organization_key = o.key AND user_id = ANY ($2) LIMIT $4) UNION
        (SELECT ctid FROM invitations WHERE organization_key = o.key AND email_key = ANY ($5) LIMIT $4)) i
    WHERE o.workspace_id = $1 AND ($3::bigint[] IS NULL OR o.key = ANY ($3)) LIMIT $4))`
	removeExports = `
DELETE FROM exports WHERE id = ANY (ARRAY(
    SELECT id FROM exports WHERE workspace_id = $1 AND user_id = ANY ($2) AND ($3::bigint[] IS NULL OR organization_key = ANY ($3)) LIMIT $4))`
)

// some is the task of a statement that removes some rows.
func some(statement string) task {
	return func(ctx context.Context, tx *pg.Tx, e *erasure, _ []string) ([]string, int, error) {
		args := []any{e.workspaceID, e.marks.IDs(), e.organizations, walkedAtOnce}
		switch statement {
		case removeMails:
			args = append(args, e.marks.All())
		case removeInvitations:
			args = append(args, emailKeys(e.marks.All()))
		default:
		}
		done, err := tx.Exec(ctx, statement, args...)
		if err != nil || done.RowsAffected() < walkedAtOnce {
			return nil, int(done.RowsAffected()), err
		}
		return again, walkedAtOnce, nil
	}
}

// emailKeys are by what those of the marks are compared that are e-mails.
func emailKeys(marks []string) []string {
	keys := []string{}
	for _, mark := range marks {
		if parsed, err := email.Parse(mark); err == nil {
			keys = append(keys, parsed.Key())
		}
	}
	return keys
}

// executionsAtOnce is how many executions one portion changes.
const executionsAtOnce = 100

// reviewersOf are up to $5 executions behind the id $2 with reviewers $3, in the organizations $4.
const reviewersOf = `
SELECT DISTINCT r.execution_id FROM step_reviewers r
WHERE r.workspace_id = $1 AND r.execution_id > $2 AND (r.user_id = ANY ($3) OR r.replaces = ANY ($3))
      AND ($4::bigint[] IS NULL OR (SELECT x.organization_key = ANY ($4) FROM executions x WHERE x.workspace_id = r.workspace_id AND x.id = r.execution_id))
ORDER BY r.execution_id LIMIT $5`

const eraseReviewer = `
UPDATE step_reviewers r SET user_id = n.pseudonym FROM (
    SELECT execution_id, step_id, user_id, $4 || CASE WHEN row_number() OVER w > 1 THEN '.' || row_number() OVER w ELSE '' END AS pseudonym
    FROM step_reviewers WHERE workspace_id = $1 AND execution_id = ANY ($2) AND user_id = ANY ($3)
    WINDOW w AS (PARTITION BY execution_id, step_id ORDER BY position, user_id)) n
WHERE r.workspace_id = $1 AND r.execution_id = n.execution_id AND r.step_id = n.step_id AND r.user_id = n.user_id`

// eraseReviewers puts the pseudonym in the place of reviewers. Where several of a step go together each gets a number, since
// votes are counted by person.
func eraseReviewers(ctx context.Context, tx *pg.Tx, e *erasure, after []string) ([]string, int, error) {
	rows, err := tx.Query(ctx, reviewersOf, e.workspaceID, behindID(after), e.marks.IDs(), e.subjects, executionsAtOnce)
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
	err = tx.SendBatch(ctx, b).Close()
	if len(ids) < executionsAtOnce {
		return nil, len(ids), err
	}
	return ids[len(ids)-1:], len(ids), err
}

// bodiesAtOnce is how many messages one portion looks at: their bodies are long.
const bodiesAtOnce = 200

// bodiesBehind are up to $4 messages behind the id $2, with the body of those that may name people ($3).
const bodiesBehind = `
SELECT m.id, CASE WHEN may_name(convert_from(b.body, 'UTF8'), $3) THEN b.body END FROM messages m LEFT JOIN message_bodies b ON b.message_id = m.id
WHERE m.workspace_id = $1 AND m.id > $2 ORDER BY m.id LIMIT $4`

// dropBodies removes what endpoints got, or are to get, where it names people: as if it were too old.
func dropBodies(ctx context.Context, tx *pg.Tx, e *erasure, after []string) (next []string, changed int, err error) {
	most := e.marks.AtOnce(bodiesAtOnce)
	rows, err := tx.Query(ctx, bodiesBehind, e.workspaceID, behindID(after), e.marks.All(), most)
	if err != nil {
		return nil, 0, err
	}
	var named []string
	var id string
	looked := 0
	var body []byte
	if _, err = pgx.ForEachRow(rows, []any{&id, &body}, func() error {
		looked, next = looked+1, []string{id}
		if body != nil && e.marks.Names(body) {
			named = append(named, id)
		}
		return nil
	}); err != nil {
		return nil, 0, err
	}
	if looked < most {
		next = nil
	}
	_, err = tx.Exec(ctx, `DELETE FROM message_bodies WHERE message_id = ANY ($1)`, named)
	return next, len(named), err
}
