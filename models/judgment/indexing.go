package judgment

import (
	"context"
	_ "embed"
	"errors"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/pattern"
	"github.com/redline-svc/redline/models/queue"
	"github.com/redline-svc/redline/models/vector"
)

// Pending is a judgment that is to be brought into the index.
type Pending struct {
	Ref

	// RecordID names it for callers.
	RecordID string
	// Indexed reports that the index has all of it.
	Indexed bool
	// Text is what its vectors are made of, Fields what the index narrows by.
	Text   Text
	Fields Fields
	// Vectors are those that were made before by the model that was asked for; nil when
	// there are none of this revision.
	Vectors *Vectors
}

// Ref is a revision of a judgment: each change counts it up.
type Ref struct {
	WorkspaceID string
	Key         int64
	Revision    int
}

// Text is what a judgment says.
type Text struct{ Decision, Reasoning, Content string }

// Fields are what a search may narrow by. CreatedAt is epoch milliseconds.
type Fields struct {
	OrganizationKey, DocumentKey   *int64
	JudgeType, ContentType, UserID string
	AnnotationID                   *string
	CreatedAt                      int64
}

// Vectors are unit vectors as the model made them; Content is nil where nothing is known
// of what was judged.
type Vectors struct{ Review, Content []float32 }

//go:embed read_pending.sql
var readPending string

// ReadPending reads the judgments that were claimed, with their vectors by a model, by the place of
// each among these: those that are there and not in the index yet. Those that are hidden go
// instead: who wrote them may have ended after all others about the same were removed.
func (s *Judgments) ReadPending(ctx context.Context, model string, claimed []queue.Claimed) (map[int]Pending, error) {
	places := make(map[string]int, len(claimed))
	workspaces, records := make([]string, len(claimed)), make([]string, len(claimed))
	for i, c := range claimed {
		workspaces[i], records[i] = c.WorkspaceID, recordIDOf(c)
		places[c.Key] = i
	}
	found, hidden, err := s.read(ctx, pgx.NamedArgs{"model": model, "keys": []int64{}, "workspaces": workspaces, "records": records})
	if err != nil {
		return nil, err
	}
	pending := make(map[int]Pending, len(found))
	for _, p := range found {
		if !p.Indexed {
			pending[places[keyOf(p.WorkspaceID, p.RecordID)]] = p
		}
	}
	return pending, s.removeHidden(ctx, hidden)
}

// read returns judgments in the order of their keys, and the keys of those that are hidden.
func (s *Judgments) read(ctx context.Context, args pgx.NamedArgs) (found []Pending, hidden []int64, err error) {
	rows, err := s.db.Pool.Query(ctx, readPending, args)
	if err != nil {
		return nil, nil, pg.Translate(err)
	}
	var p Pending
	var shown bool
	var review, content []byte
	var created time.Time
	t, f := &p.Text, &p.Fields
	_, err = pgx.ForEachRow(rows, []any{
		&shown, &p.WorkspaceID, &p.RecordID, &p.Key, &p.Revision, &p.Indexed, &t.Decision, &t.Reasoning, &t.Content, &f.OrganizationKey, &f.DocumentKey,
		&f.JudgeType, &f.ContentType, &f.UserID, &f.AnnotationID, &created, &review, &content,
	}, func() error {
		if !shown {
			hidden = append(hidden, p.Key)
			return nil
		}
		if f.CreatedAt, p.Vectors = created.UnixMilli(), nil; review != nil {
			p.Vectors = &Vectors{vector.FromBytes(review), vector.FromBytes(content)}
		}
		found = append(found, p)
		return nil
	})
	return found, hidden, pg.Translate(err)
}

// storeVectors passes over judgments that are gone and locks the others meanwhile.
const storeVectors = `
INSERT INTO judgment_vectors (key, model, workspace_id, revision, review, content)
SELECT j.key, $1, j.workspace_id, n.revision, n.review, n.content
FROM unnest($2::bigint[], $3::int[], $4::bytea[], $5::bytea[]) AS n (key, revision, review, content)
JOIN judgments j ON j.key = n.key ORDER BY j.key FOR KEY SHARE OF j
ON CONFLICT (key, model) DO UPDATE SET revision = excluded.revision, review = excluded.review, content = excluded.content`

// StoreVectors keeps the vectors of judgments.
func (s *Judgments) StoreVectors(ctx context.Context, model string, of []Pending) error {
	keys, revisions := refs(of)
	var reviews, contents [][]byte
	for _, p := range of {
		reviews, contents = append(reviews, vector.Bytes(p.Vectors.Review)), append(contents, bytesOrNil(p.Vectors.Content))
	}
	_, err := s.db.Pool.Exec(ctx, storeVectors, model, keys, revisions, reviews, contents)
	return pg.Translate(err)
}

func bytesOrNil(v []float32) []byte {
	if v == nil {
		return nil
	}
	return vector.Bytes(v)
}

// refs are the keys and revisions of judgments.
func refs(of []Pending) (keys []int64, revisions []int) {
	for _, p := range of {
		keys, revisions = append(keys, p.Key), append(revisions, p.Revision)
	}
	return keys, revisions
}

const (
	// lockServing keeps a switch to another generation waiting, or sees it.
	lockServing = `SELECT FROM index_generations WHERE id = $1 AND state = 'serving' FOR SHARE`
	// lockIndex locks rows in the order of all who lock several.
	lockIndex = `SELECT FROM judgment_index WHERE key = ANY ($1::bigint[]) ORDER BY key FOR UPDATE`
	// indexed leaves out what has changed meanwhile: it is queued again.
	indexed = `UPDATE judgment_index i SET indexed = true, building = NULL FROM unnest($1::bigint[], $2::int[]) AS n (key, revision)
WHERE i.key = n.key AND i.revision = n.revision RETURNING i.workspace_id`
)

// errSwitched is what Indexed returns of a generation that does not serve any more.
var errSwitched = errors.New("another generation of the index serves now")

// Indexed notes that a generation of the index has all of these judgments, which changes
// what patterns rest on. A generation that does not serve any more is an error.
func (s *Judgments) Indexed(ctx context.Context, generationID string, of []Pending) error {
	keys, revisions := refs(of)
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		serves := false
		return tx.Send(ctx, func(b *pgx.Batch) {
			b.Queue(lockServing, generationID).Query(func(rows pgx.Rows) error {
				serves = rows.Next()
				return rows.Err()
			})
			b.Queue(lockIndex, keys)
			b.Queue(indexed, keys, revisions).Query(func(rows pgx.Rows) error {
				workspaces, err := pgx.CollectRows(rows, pgx.RowTo[string])
				if pattern.Changed(tx, pg.Distinct(workspaces)...); err == nil && !serves {
					err = errSwitched
				}
				return err
			})
		})
	})
}

// Gone are the judgments that were removed and whose removal from the index was claimed.
func Gone(claimed []queue.Claimed) []Ref {
	gone := make([]Ref, len(claimed))
	for i, c := range claimed {
		key, _ := strconv.ParseInt(c.Key, 10, 64) // takeOut has written it
		gone[i] = Ref{WorkspaceID: c.WorkspaceID, Key: key}
	}
	return gone
}

// Forget notes that the index has nothing of these any more. It changes nothing for patterns:
// they went when the judgments did.
func (s *Judgments) Forget(ctx context.Context, gone []Ref) error {
	keys := make([]int64, len(gone))
	for i, ref := range gone {
		keys[i] = ref.Key
	}
	_, err := s.db.Pool.Exec(ctx, `DELETE FROM judgment_index WHERE key = ANY (ARRAY(
    SELECT key FROM judgment_index WHERE key = ANY ($1::bigint[]) ORDER BY key FOR UPDATE))`, keys)
	return pg.Translate(err)
}
