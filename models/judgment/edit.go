package judgment

import (
	"strconv"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/pattern"
)

// Edit is what a comment says since it was added or edited, and who says it.
type Edit struct {
	// Origin names the comment; one origin makes one judgment.
	Origin string
	// Reasoning is empty where the comment says nothing.
	Reasoning        string
	UserID, UserName string
	UserEmail        *string
}

// edited are the judgments of the comments of $2.
const edited = `workspace_id = $1 AND origin = 'comment' AND origin_id = ANY ($2)`

// What edits of comments do. A judgment that says the same is left alone, and so are the
// names in it as long as it is the same person's: they are those of the act. None is made:
// one that was deleted stays so, whatever its comment says now. Who edits a comment that had
// none queues it as that of an added one (Comment).
var (
	replaceEdited = owingChange(`
UPDATE judgments j SET reasoning = n.reasoning, user_id = n.user_id,
       user_name = CASE j.user_id WHEN n.user_id THEN j.user_name ELSE n.user_name END,
       user_email = CASE j.user_id WHEN n.user_id THEN j.user_email ELSE n.user_email END
FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[]) AS n (origin_id, reasoning, user_id, user_name, user_email)
WHERE j.workspace_id = $1 AND j.origin = 'comment' AND j.origin_id = n.origin_id AND (j.reasoning, j.user_id) IS DISTINCT FROM (n.reasoning, n.user_id)`)
	removeEdited = owingRemovalOf(`DELETE FROM judgments WHERE `+edited, "origin_id")
)

// lockEdited and lockEditedOwed take the rows in the order of all who take several, since
// some of them are replaced and others removed.
const (
	lockEdited     = `SELECT FROM judgments WHERE ` + edited + ` ORDER BY key FOR UPDATE`
	lockEditedOwed = `SELECT FROM judgment_index WHERE key = ANY (ARRAY(SELECT key FROM judgments WHERE ` + edited + `)) ORDER BY key FOR UPDATE`
)

// QueueEdits lets comments replace what their judgments say, under the same record ids; the
// judgment of a comment that says nothing goes, and removed gets the origins of those that
// went.
func QueueEdits(tx *pg.Tx, b *pgx.Batch, workspaceID string, edits []Edit, removed *[]string) {
	if len(edits) == 0 {
		return
	}
	var all, silent, origins, reasonings, users, names []string
	var emails []*string
	for _, e := range edits {
		if all = append(all, e.Origin); e.Reasoning == "" {
			silent = append(silent, e.Origin)
			continue
		}
		origins, reasonings = append(origins, e.Origin), append(reasonings, e.Reasoning)
		users, names, emails = append(users, e.UserID), append(names, e.UserName), append(emails, e.UserEmail)
	}
	b.Queue(lockEdited, workspaceID, all)
	b.Queue(lockEditedOwed, workspaceID, all)
	b.Queue(replaceEdited, workspaceID, origins, reasonings, users, names, emails)
	if len(silent) > 0 {
		b.Queue(removeEdited, workspaceID, silent).Query(func(rows pgx.Rows) (err error) {
			if *removed, err = pgx.CollectRows(rows, pgx.RowTo[string]); len(*removed) > 0 {
				pattern.Removed(tx, workspaceID)
			}
			return err
		})
	}
}

// removeOfComments removes the judgments of comments that were deleted.
var removeOfComments = owingRemoval(`DELETE FROM judgments WHERE ` + inOrder(edited))

// QueueDeletions removes the judgments of comments that are deleted, by their origins.
func QueueDeletions(tx *pg.Tx, b *pgx.Batch, workspaceID string, origins []string) {
	if len(origins) > 0 {
		b.Queue(removeOfComments, workspaceID, origins).Exec(noteRemoved(tx, workspaceID))
	}
}

// noteRemoved has patterns looked for where a statement has removed judgments.
func noteRemoved(tx *pg.Tx, workspaceID string) func(done pgconn.CommandTag) error {
	return func(done pgconn.CommandTag) error {
		if done.RowsAffected() > 0 {
			pattern.Removed(tx, workspaceID)
		}
		return nil
	}
}

// Annotations are annotations of a workspace that are deleted.
type Annotations struct {
	WorkspaceID string
	keys, ids   []string
}

// Add adds one by its key and the caller's id.
func (a *Annotations) Add(key int64, id string) {
	a.keys, a.ids = append(a.keys, strconv.FormatInt(key, 10)), append(a.ids, id)
}

// removeOfAnnotations finds judgments by the caller's ids of their annotations, of which the
// key says which annotation is meant: another one may have had the id before. What a caller
// recorded stays.
var removeOfAnnotations = owingRemoval(`
DELETE FROM judgments WHERE ` + inOrder(`workspace_id = $1 AND annotation_id = ANY ($2) AND origin IN ('comment', 'status', 'suggestion') AND split_part(origin_id, '/', 1) = ANY ($3)`))

// QueueDeletion removes all judgments that come from the annotations.
func (a *Annotations) QueueDeletion(tx *pg.Tx, b *pgx.Batch) {
	if len(a.keys) > 0 {
		b.Queue(removeOfAnnotations, a.WorkspaceID, a.ids, a.keys).Exec(noteRemoved(tx, a.WorkspaceID))
	}
}
