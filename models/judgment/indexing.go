package judgment

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/pattern"
	"github.com/redline-svc/redline/models/vector"
)

// claimedFor is how long a claim lasts: longer than anybody works on one, and shorter
// than a removal waits (goneFor).
const claimedFor = 45 * time.Second

// Owed is a judgment that is owed to the index, or, when Text is nil, of which the index
// may still have something though its row is gone.
type Owed struct {
	Ref

	// Again says that it was taken up before, so that the index may have some of it.
	Again bool
	// Text is what its vectors are made of, Fields what the index narrows by.
	Text   *Text
	Fields Fields
	// Vectors are those that were made before by the model that was asked for; nil when
	// there are none of this revision.
	Vectors *Vectors
}

// Ref is a revision of a judgment.
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

// Vectors are unit vectors as the model gave them; Content is nil where nothing is known
// of what was judged.
type Vectors struct{ Review, Content []float32 }

// nextOwed finds the first workspace behind another one that has judgments owed, now or
// later.
func nextOwed(behind string) string {
	return `SELECT min(workspace_id) FROM judgment_index WHERE due IS NOT NULL AND workspace_id > ` + behind
}

// claimOwed claims from workspaces in turn, each the same share, as claims of the queue do.
// SQL by hand: it moves the time of what it takes on, so whoever dies gives it back.
var claimOwed = `
WITH RECURSIVE ` + pg.Turn("$3", nextOwed) + `, visited AS (
    SELECT id, row_number() OVER () AS n FROM (SELECT id FROM turn WHERE id IS NOT NULL LIMIT 4 * $1) t
), owing AS (
    SELECT id, n FROM visited v
    WHERE EXISTS (SELECT FROM judgment_index WHERE workspace_id = v.id AND due <= clock_timestamp()) ORDER BY n LIMIT $1
), share AS (
    SELECT greatest(1, $1 / greatest(count(*), 1)) AS rows, max(n) AS last FROM owing
), chosen AS (
    SELECT d.at FROM share s CROSS JOIN owing o CROSS JOIN LATERAL (
        SELECT ctid AS at FROM judgment_index WHERE workspace_id = o.id AND due <= clock_timestamp()
        ORDER BY due, key LIMIT s.rows FOR UPDATE SKIP LOCKED) d
)
UPDATE judgment_index SET due = clock_timestamp() + $2::interval, tries = tries + 1 WHERE ctid = ANY (ARRAY(SELECT at FROM chosen))
RETURNING workspace_id, key, revision, tries > 1 OR revision > 1, (SELECT v.id FROM share s JOIN visited v ON v.n = s.last)`

// readOwed reads what was claimed in a snapshot after that, so that a text is never
// older than its revision.
var readOwed = `
SELECT ` + shownRow("j") + `,
       j.key, j.decision, j.reasoning, j.content, j.organization_key, j.document_key, j.judge_type, j.content_type, j.user_id, j.annotation_id,
       j.created_at, v.review, v.content
FROM judgments j JOIN judgment_index i ON i.key = j.key
LEFT JOIN judgment_vectors v ON v.key = j.key AND v.model = $2 AND v.revision = i.revision
WHERE j.key = ANY ($1)`

// ClaimOwed takes up to limit judgments that are owed to the index now, of workspaces in
// turn, beginning behind the workspace after, with their vectors by a model. They are
// due again after 45 s. Those about something removed go instead: who wrote them may have
// ended after all others of it were removed. last is the last workspace that was asked.
func (s *Judgments) ClaimOwed(ctx context.Context, model, after string, limit int) (owed []Owed, last string, err error) {
	rows, err := s.db.Pool.Query(ctx, claimOwed, limit, claimedFor, after)
	if err != nil {
		return nil, "", pg.Translate(err)
	}
	owed, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (Owed, error) {
		var o Owed
		return o, row.Scan(&o.WorkspaceID, &o.Key, &o.Revision, &o.Again, &last)
	})
	if err != nil || len(owed) == 0 {
		return nil, last, pg.Translate(err)
	}
	hidden, err := s.read(ctx, model, owed)
	if err == nil {
		err = s.removeHidden(ctx, owed, hidden)
	}
	return owed, last, pg.Translate(err)
}

// read fills in what the rows say, and gives those that are hidden.
func (s *Judgments) read(ctx context.Context, model string, owed []Owed) (hidden map[int64]bool, err error) {
	keys, at := make([]int64, len(owed)), map[int64]*Owed{}
	for i := range owed {
		keys[i], at[owed[i].Key] = owed[i].Key, &owed[i]
	}
	rows, err := s.db.Pool.Query(ctx, readOwed, keys, model)
	if err != nil {
		return nil, err
	}
	hidden = map[int64]bool{}
	var key int64
	var shown bool
	var t Text
	var f Fields
	var review, content []byte
	var created time.Time
	_, err = pgx.ForEachRow(rows, []any{
		&shown, &key, &t.Decision, &t.Reasoning, &t.Content, &f.OrganizationKey, &f.DocumentKey, &f.JudgeType, &f.ContentType, &f.UserID, &f.AnnotationID,
		&created, &review, &content,
	}, func() error {
		text := t
		f.CreatedAt = created.UnixMilli()
		o := at[key]
		if !shown {
			hidden[key] = true
		}
		if o.Text, o.Fields = &text, f; review != nil {
			o.Vectors = &Vectors{vector.FromBytes(review), vector.FromBytes(content)}
		}
		return nil
	})
	return hidden, err
}

// storeVectors passes over judgments that are gone and holds the others meanwhile.
const storeVectors = `
INSERT INTO judgment_vectors (key, model, workspace_id, revision, review, content)
SELECT j.key, $1, j.workspace_id, n.revision, n.review, n.content
FROM unnest($2::bigint[], $3::int[], $4::bytea[], $5::bytea[]) AS n (key, revision, review, content)
JOIN judgments j ON j.key = n.key ORDER BY j.key FOR KEY SHARE OF j
ON CONFLICT (key, model) DO UPDATE SET revision = excluded.revision, review = excluded.review, content = excluded.content`

// StoreVectors keeps the vectors of judgments.
func (s *Judgments) StoreVectors(ctx context.Context, model string, of []Owed) error {
	var keys []int64
	var revisions []int
	var reviews, contents [][]byte
	for _, o := range of {
		keys, revisions = append(keys, o.Key), append(revisions, o.Revision)
		reviews, contents = append(reviews, vector.Bytes(o.Vectors.Review)), append(contents, bytesOrNil(o.Vectors.Content))
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

// What was done is no longer owed where the revision is still the same one, and, of what
// was brought in, where the generation that has it still serves: a switch waits for who
// is here, or is seen.
const indexed = `
WITH serving AS (SELECT id FROM index_generations WHERE id = $3 AND state = 'serving' FOR SHARE)
UPDATE judgment_index i SET due = NULL, tries = 0, building = NULL FROM unnest($1::bigint[], $2::int[]) AS n (key, revision), serving
WHERE i.key = n.key AND i.revision = n.revision RETURNING i.workspace_id`

// forgotten changes nothing for patterns: they went when the judgment did.
const forgotten = `
DELETE FROM judgment_index i USING unnest($1::bigint[], $2::int[]) AS n (key, revision) WHERE i.key = n.key AND i.revision = n.revision`

// givenBack waits longer with each try, up to a minute and a half, and each for a time
// of its own: one that cannot be brought in takes others along only for once.
const givenBack = `
UPDATE judgment_index i SET due = clock_timestamp() + least(interval '1 minute', interval '1 second' * 2 ^ least(i.tries, 10)) * (0.5 + random())
FROM unnest($1::bigint[], $2::int[]) AS n (key, revision) WHERE i.key = n.key AND i.revision = n.revision`

// left undoes a claim of judgments that nobody tried to bring in: they go before what is
// owed for less long.
const left = `
UPDATE judgment_index i SET due = i.owed_at, tries = tries - 1
FROM unnest($1::bigint[], $2::int[]) AS n (key, revision) WHERE i.key = n.key AND i.revision = n.revision`

// passedOver are judgments that were claimed and changed meanwhile: they are due from the
// change on, now that nobody works on them.
const passedOver = `
UPDATE judgment_index i SET due = i.owed_at FROM unnest($1::bigint[], $2::int[]) AS n (key, revision)
WHERE i.key = n.key AND i.revision <> n.revision AND i.due IS NOT NULL`

// Indexed notes that a generation of the index has all of these judgments, which changes
// what patterns rest on.
func (s *Judgments) Indexed(ctx context.Context, generationID string, of []Owed) error {
	return s.settle(ctx, of, func(tx *pg.Tx, b *pgx.Batch, keys []int64, revisions []int) {
		b.Queue(passedOver, keys, revisions)
		b.Queue(indexed, keys, revisions, generationID).Query(func(rows pgx.Rows) error {
			workspaces, err := pgx.CollectRows(rows, pgx.RowTo[string])
			pattern.Changed(tx, pg.Distinct(workspaces)...)
			return err
		})
	})
}

// Forgotten notes that the index has nothing of these any more.
func (s *Judgments) Forgotten(ctx context.Context, of []Owed) error {
	return s.release(ctx, forgotten, of)
}

// GiveBack makes judgments due again that could not be brought in or removed.
func (s *Judgments) GiveBack(ctx context.Context, of []Owed) error {
	return s.release(ctx, givenBack, of)
}

// Leave makes judgments due at once that were claimed and not worked on.
func (s *Judgments) Leave(ctx context.Context, of []Owed) error { return s.release(ctx, left, of) }

// lockOwed takes the rows of what was done in the order of all who take several.
const lockOwed = `SELECT FROM judgment_index WHERE key = ANY ($1::bigint[]) ORDER BY key FOR UPDATE`

// release ends a claim by what became of it.
func (s *Judgments) release(ctx context.Context, statement string, of []Owed) error {
	return s.settle(ctx, of, func(_ *pg.Tx, b *pgx.Batch, keys []int64, revisions []int) {
		b.Queue(passedOver, keys, revisions)
		b.Queue(statement, keys, revisions)
	})
}

func (s *Judgments) settle(ctx context.Context, of []Owed, queue func(tx *pg.Tx, b *pgx.Batch, keys []int64, revisions []int)) error {
	if len(of) == 0 {
		return nil
	}
	keys, revisions := make([]int64, len(of)), make([]int, len(of))
	for i, o := range of {
		keys[i], revisions[i] = o.Key, o.Revision
	}
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		return tx.Send(ctx, func(b *pgx.Batch) {
			b.Queue(lockOwed, keys)
			queue(tx, b, keys, revisions)
		})
	})
}
