package judgment

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/subject"
	"github.com/redline-svc/redline/models/vector"
)

const (
	// spare is how many hits a search asks for beyond its limit, widen by how much it
	// asks for more when rows of its hits are gone, or when hits beyond the last one may
	// be as near. widest is from how many on these are let be, mostFound how many the index gives for one search.
	spare, widen, widest, mostFound = 10, 4, 2000, 10_000
	// removedKnown is how many removed subjects a search leaves out in the index, and apartKnown how many of the documents
	// that it is not about, of which each organization may have some; what is about others is left out when it is found.
	removedKnown = 50
	apartKnown   = 100
)

// VectorIndex finds the nearest judgments (*vector.Index).
type VectorIndex interface {
	NearestJudgments(ctx context.Context, p vector.Partition, q vector.JudgmentQuery) ([]vector.JudgmentHit, error)
}

// Near asks for the judgments nearest to a vector.
type Near struct {
	Filter

	// Decisions are stored words, of which one must fit; empty for all.
	Decisions []string
	// Vector of the question and the name under which vectors of its kind are kept.
	Vector []float32
	Model  string
	// Among are vector.Review, vector.Content or both; by Content no judgment is found
	// that has none. One that is found by both counts with the better similarity.
	Among []string
	// Limit is how many are found by each of them.
	Limit int
	// Contents reads what was judged, Vectors the vectors of what is found.
	Contents, Vectors bool
	// Counted returns how many there are of the filter, Roughly how many of filter and
	// decisions, which of more than 1,000 may be ten minutes old.
	Counted, Roughly bool
}

// Nearby are the judgments that were found, the nearest first, then the newest. Total is
// how many there are, where that was asked for. Moved says that the index
// holds vectors of another model than that of the question.
type Nearby struct {
	Hits  []Hit
	Total int64
	Moved bool
}

// day is what recent days are counted in, whatever a local clock does meanwhile.
const day = 24 * time.Hour

// surroundings are what a search needs to know before it asks the index.
type surroundings struct {
	about subject.Narrow
	// serving reports whether a generation of the index serves: the one of the suffix.
	serving        bool
	suffix, model  string
	removed, apart []int64
	// now is the time of Postgres, by which rows are narrowed too.
	now time.Time
}

// Nearest finds judgments by meaning. The filter is part of the question to the index; what
// the index returns is read from the rows, and where that leaves too few the index is asked
// for more. Error: UNAVAILABLE when the index does not answer.
func (s *Judgments) Nearest(ctx context.Context, workspaceID string, index VectorIndex, q Near) (*Nearby, error) {
	around, err := s.surroundings(ctx, workspaceID, q)
	switch {
	case err != nil:
		return nil, err
	case !around.serving:
		_, total, err := s.join(ctx, workspaceID, q, around.about, nil)
		return &Nearby{Total: total}, err
	case around.model != q.Model:
		return &Nearby{Moved: true}, nil
	default:
		return s.among(ctx, workspaceID, index, q, around)
	}
}

// among asks the index.
func (s *Judgments) among(ctx context.Context, workspaceID string, index VectorIndex, q Near, around *surroundings) (*Nearby, error) {
	p := vector.Partition{Suffix: around.suffix, Workspace: workspaceID, Corpus: vector.Judgments}
	for limit := q.Limit + spare; ; limit = min(widen*limit, mostFound) {
		hits, err := s.fromIndex(ctx, index, p, around.ask(q, limit), q.Among)
		if err != nil {
			return nil, err
		}
		rows, total, err := s.join(ctx, workspaceID, q, around.about, hits)
		if err != nil {
			return nil, err
		}
		found, more := rows.nearest(hits, q.Among, q.Limit, limit)
		if !more || limit == mostFound {
			found, err = s.readRest(ctx, workspaceID, found, q.Contents)
			return &Nearby{Hits: found, Total: total}, err
		}
	}
}

func (s *Judgments) surroundings(ctx context.Context, workspaceID string, q Near) (*surroundings, error) {
	around := &surroundings{}
	about := subject.Filter{OrganizationID: q.OrganizationID, DocumentID: q.DocumentID}
	return around, about.Read(ctx, s.db, workspaceID, func(b *pgx.Batch, n subject.Narrow) {
		around.about = n
		around.queue(b, workspaceID, &q)
	})
}

// readSurroundings finds the generation that serves, and subjects that were removed.
const readSurroundings = `
SELECT g.suffix IS NOT NULL, coalesce(g.suffix, ''), coalesce(g.model, ''), clock_timestamp(),
       ARRAY(SELECT key FROM subjects WHERE workspace_id = $1 AND removed_at IS NOT NULL AND NOT judgments_gone ORDER BY removed_at LIMIT $2)
FROM (SELECT) AS always LEFT JOIN index_generations g ON g.state = 'serving'`

// queue reads the surroundings.
func (a *surroundings) queue(b *pgx.Batch, workspaceID string, q *Near) {
	b.Queue(readSurroundings, workspaceID, removedKnown).QueryRow(func(row pgx.Row) error {
		return row.Scan(&a.serving, &a.suffix, &a.model, &a.now, &a.removed)
	})
	if len(q.WithoutDocuments) > 0 {
		all := pg.NewConditions(workspaceID)
		all.And(subject.DocumentsOf, q.WithoutDocuments)
		some := all.Parts[0] + ` LIMIT ` + all.Value(apartKnown)
		b.Queue(some, all.Args...).Query(func(rows pgx.Rows) (err error) {
			a.apart, err = pgx.CollectRows(rows, pgx.RowTo[int64])
			return err
		})
	}
}

// where is the filter for rows that are read by their keys, with the decisions of which one
// must fit. What they are about is looked up for each, which is less work for few rows.
func (q *Near) where(workspaceID string, about subject.Narrow) *pg.Conditions {
	where := pg.NewConditions(workspaceID)
	if q.DocumentID == "" {
		where.And(shownRow("j"))
	} else {
		where.And(stayed("j"))
	}
	q.narrow(where, about)
	if len(q.Decisions) > 0 {
		where.And("decision = ANY (%s)", q.Decisions)
	}
	return where
}

// ask is the question to the index.
func (a *surroundings) ask(q Near, limit int) vector.JudgmentQuery {
	asked := vector.JudgmentQuery{
		Vector: q.Vector, Limit: limit, Vectors: q.Vectors, Decisions: q.Decisions, JudgeType: q.JudgeType, ContentType: q.ContentType,
		Reviewer: q.ReviewerID, Annotation: q.AnnotationID, From: milliseconds(q.From), To: milliseconds(q.Until),
		ExcludeOrganizations: a.removed, ExcludeDocuments: append(slices.Clone(a.apart), a.removed...),
	}
	if q.Decision != "" {
		asked.Decisions = []string{q.Decision}
	}
	if q.RecentDays > 0 {
		from := a.now.Add(-time.Duration(q.RecentDays) * day)
		asked.From = milliseconds(&from)
	}
	asked.Organizations, asked.Documents = a.about.Keys()
	return asked
}

func milliseconds(at *time.Time) *int64 {
	if at == nil {
		return nil
	}
	ms := at.UnixMilli()
	return &ms
}

// fromIndex asks the index once for each kind of vector, at the same time.
func (s *Judgments) fromIndex(ctx context.Context, index VectorIndex, p vector.Partition, q vector.JudgmentQuery, among []string) ([][]vector.JudgmentHit, error) {
	hits := make([][]vector.JudgmentHit, len(among))
	group, shared := errgroup.WithContext(ctx)
	for i, kind := range among {
		group.Go(func() (err error) {
			own := q
			own.Among = kind
			hits[i], err = s.ask(shared, index, p, own)
			return err
		})
	}
	return hits, group.Wait()
}

// ask asks the index, once more where that had nothing of the workspace although rows
// say that judgments were brought in: the first ones may have been meanwhile. Where none
// were, none are near.
func (s *Judgments) ask(ctx context.Context, index VectorIndex, p vector.Partition, q vector.JudgmentQuery) ([]vector.JudgmentHit, error) {
	hits, err := index.NearestJudgments(ctx, p, q)
	if !errors.Is(err, vector.ErrNoTenant) {
		return hits, err
	}
	var held bool
	err = s.db.Pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM judgments j JOIN judgment_index i ON i.key = j.key WHERE j.workspace_id = $1 AND i.indexed)`,
		p.Workspace).Scan(&held)
	if err != nil || !held {
		return nil, pg.Translate(err)
	}
	return index.NearestJudgments(ctx, p, q)
}
