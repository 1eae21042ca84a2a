package judgment

import (
	_ "embed"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/models/internal/pg"
)

// Edit is what a comment says since it was added or edited, and who says it.
type Edit struct {
	// Origin names the comment; one origin makes one judgment.
	Origin string
	// Reasoning is empty where the comment says nothing.
	Reasoning        string
	UserID, UserName string
	UserEmail        *string
	// CreatedAt is that of the comment.
	CreatedAt time.Time
}

// edited are the judgments of the comments of $2.
const edited = `workspace_id = $1 AND origin = 'comment' AND origin_id = ANY ($2)`

// What edits of comments do. A judgment that says the same is left alone. None is made:
// one that was deleted stays so, whatever its comment says now. Who edits a comment that had
// none queues it as that of an added one (QueueActs).
var (
	//go:embed replace_edited.sql
	replaceEdited string
	//go:embed remove_of_comments.sql
	removeOfComments string
	//go:embed remove_of_annotations.sql
	removeOfAnnotations string
)

// lockEdited and lockEditedIndex lock the rows in the order of all who take several, since
// some of them are replaced and others removed.
const (
	lockEdited      = `SELECT FROM judgments WHERE ` + edited + ` ORDER BY key FOR UPDATE`
	lockEditedIndex = `SELECT FROM judgment_index WHERE key = ANY (ARRAY(SELECT key FROM judgments WHERE ` + edited + `)) ORDER BY key FOR UPDATE`
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
	var times []time.Time
	for _, e := range edits {
		if all = append(all, e.Origin); e.Reasoning == "" {
			silent = append(silent, e.Origin)
			continue
		}
		origins, reasonings = append(origins, e.Origin), append(reasonings, e.Reasoning)
		users, names, emails = append(users, e.UserID), append(names, e.UserName), append(emails, e.UserEmail)
		times = append(times, e.CreatedAt)
	}
	b.Queue(lockEdited, workspaceID, all)
	b.Queue(lockEditedIndex, workspaceID, all)
	b.Queue(replaceEdited, pgx.NamedArgs{
		"workspace": workspaceID, "origins": origins, "reasonings": reasonings, "users": users, "names": names, "emails": emails, "times": times,
	}).Query(func(rows pgx.Rows) error {
		changed, err := pgx.CollectRows(rows, pgx.RowTo[string])
		bringIn(tx, workspaceID, changed...)
		return err
	})
	if len(silent) > 0 {
		b.Queue(removeOfComments, pgx.NamedArgs{"workspace": workspaceID, "origins": silent}).Query(removedNamed(tx, workspaceID, removed))
	}
}

// QueueDeletions removes the judgments of comments that are deleted, by their origins.
func QueueDeletions(tx *pg.Tx, b *pgx.Batch, workspaceID string, origins []string) {
	if len(origins) > 0 {
		b.Queue(removeOfComments, pgx.NamedArgs{"workspace": workspaceID, "origins": origins}).Query(removedNamed(tx, workspaceID, new([]string)))
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

// None reports whether there are none.
func (a *Annotations) None() bool { return len(a.keys) == 0 }

// QueueDeletion removes all judgments that come from the annotations.
func (a *Annotations) QueueDeletion(tx *pg.Tx, b *pgx.Batch) {
	if !a.None() {
		b.Queue(removeOfAnnotations, pgx.NamedArgs{"workspace": a.WorkspaceID, "ids": a.ids, "keys": a.keys}).Query(removed(tx, a.WorkspaceID))
	}
}
