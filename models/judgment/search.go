package judgment

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/subject"
	"github.com/redline-svc/redline/models/vector"
)

const (
	// spare is how many hits a search asks for beyond its limit, widen by how much it
	// asks for more when rows of its hits are gone, or when hits beyond the last one may
	// be as near. mostFound is how many the index gives for one search.
	spare, widen, mostFound = 10, 4, 10_000
	// removedKnown is how many removed subjects a search leaves out in the index; what is
	// about others is left out when it is found.
	removedKnown = 50
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
	// Among is vector.Review or vector.Content; by Content no judgment is found that has
	// none.
	Among string
	Limit int
}

// Hit is a judgment that was found. Similarity is the cosine, cut to 0 to 1.
type Hit struct {
	View

	Content, AnnotationID string
	Category              *string
	Similarity            float64
	// Review is the vector of what was decided and why.
	Review []float32
}

// Nearby are the judgments that were found, the nearest first, then the newest. Moved
// says that the index holds vectors of another model than that of the question.
type Nearby struct {
	Hits  []Hit
	Moved bool
}

// surroundings are what a search needs to know before it asks the index.
type surroundings struct {
	about          subject.Narrow
	suffix, model  string
	removed, apart []int64
}

// Nearest finds judgments by meaning. The filter is part of the question to the index;
// what the index gives is read from the rows, and where that leaves too few the index is
// asked for more. Error: UNAVAILABLE when the index does not answer.
func (s *Judgments) Nearest(ctx context.Context, workspaceID string, index VectorIndex, q Near) (*Nearby, error) {
	around, err := s.surroundings(ctx, workspaceID, q)
	if err != nil || around.suffix == nothing {
		return &Nearby{}, err
	}
	if around.model != q.Model {
		return &Nearby{Moved: true}, nil
	}
	for limit := q.Limit + spare; ; limit = min(widen*limit, mostFound) {
		p := vector.Partition{Suffix: around.suffix, Workspace: workspaceID, Corpus: vector.Judgments}
		hits, err := s.fromIndex(ctx, index, p, around.ask(q, limit))
		if err != nil {
			return nil, err
		}
		found, err := s.join(ctx, workspaceID, q, around.about, hits)
		if err != nil {
			return nil, err
		}
		if len(hits) == limit && limit < mostFound && wantsMore(found, hits, q.Limit) {
			continue
		}
		return &Nearby{Hits: found[:min(len(found), q.Limit)]}, nil
	}
}

// nothing is the suffix of no generation.
const nothing = "?"

// readSurroundings finds the generation that serves and subjects that were removed.
const readSurroundings = `
SELECT coalesce((SELECT suffix FROM index_generations WHERE state = 'serving'), '` + nothing + `'),
       coalesce((SELECT model FROM index_generations WHERE state = 'serving'), ''),
       ARRAY(SELECT key FROM subjects WHERE workspace_id = $1 AND removed_at IS NOT NULL AND NOT judgments_gone ORDER BY removed_at LIMIT $2)`

func (s *Judgments) surroundings(ctx context.Context, workspaceID string, q Near) (*surroundings, error) {
	var around surroundings
	about := subject.Filter{OrganizationID: q.OrganizationID, DocumentID: q.DocumentID}
	err := about.Read(ctx, s.db, workspaceID, func(b *pgx.Batch, n subject.Narrow) {
		around.about = n
		b.Queue(readSurroundings, workspaceID, removedKnown).QueryRow(func(row pgx.Row) error {
			return row.Scan(&around.suffix, &around.model, &around.removed)
		})
		if len(q.WithoutDocuments) > 0 {
			all := pg.NewConditions(workspaceID)
			all.And(subject.DocumentsOf, q.WithoutDocuments)
			b.Queue(all.Parts[0], all.Args...).Query(func(rows pgx.Rows) (err error) {
				around.apart, err = pgx.CollectRows(rows, pgx.RowTo[int64])
				return err
			})
		}
	})
	return &around, err
}

// ask is the question to the index.
func (a *surroundings) ask(q Near, limit int) vector.JudgmentQuery {
	asked := vector.JudgmentQuery{
		Vector: q.Vector, Among: q.Among, Limit: limit, Decisions: q.Decisions, JudgeType: q.JudgeType, ContentType: q.ContentType,
		Reviewer: q.ReviewerID, Annotation: q.AnnotationID, From: milliseconds(q.From), To: milliseconds(q.Until),
		ExcludeOrganizations: a.removed, ExcludeDocuments: append(slices.Clone(a.apart), a.removed...),
	}
	if q.Decision != "" {
		asked.Decisions = []string{q.Decision}
	}
	if q.RecentDays > 0 {
		from := time.Now().AddDate(0, 0, -q.RecentDays)
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

// fromIndex asks the index, once more where that had nothing of the workspace although rows
// say that judgments were brought in: the first ones may have been meanwhile. Where none
// were, none are near.
func (s *Judgments) fromIndex(ctx context.Context, index VectorIndex, p vector.Partition, q vector.JudgmentQuery) ([]vector.JudgmentHit, error) {
	hits, err := index.NearestJudgments(ctx, p, q)
	if !errors.Is(err, vector.ErrNoTenant) {
		return hits, err
	}
	var held bool
	err = s.db.Pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM judgments j JOIN judgment_index i ON i.key = j.key WHERE j.workspace_id = $1 AND i.due IS NULL)`,
		p.Workspace).Scan(&held)
	if err != nil || !held {
		return nil, pg.Translate(err)
	}
	return index.NearestJudgments(ctx, p, q)
}

// wantsMore reports whether hits beyond those that the index gave may belong to the
// answer.
func wantsMore(found []Hit, hits []vector.JudgmentHit, limit int) bool {
	return len(found) < limit || similarity(hits[len(hits)-1].Distance) >= found[limit-1].Similarity
}

func similarity(distance float32) float64 { return min(1, max(0, 1-float64(distance))) }

// join reads the rows of hits that still fit the filter.
func (s *Judgments) join(ctx context.Context, workspaceID string, q Near, about subject.Narrow, hits []vector.JudgmentHit) ([]Hit, error) {
	keys, distances := make([]int64, len(hits)), map[int64]float32{}
	for i, hit := range hits {
		keys[i], distances[hit.Key] = hit.Key, hit.Distance
	}
	where := q.conditions(workspaceID, about)
	where.And("j.key = ANY (%s)", keys)
	if len(q.Decisions) > 0 {
		where.And("decision = ANY (%s)", q.Decisions)
	}
	model := where.Value(q.Model)
	rows, err := s.db.Pool.Query(ctx, `SELECT `+judgmentColumns+`, j.key, content, coalesce(annotation_id, ''), category,
       (SELECT v.review FROM judgment_vectors v WHERE v.key = j.key AND v.model = `+model+`)
FROM judgments j WHERE workspace_id = $1`+where.Text(), where.Args...)
	if err != nil {
		return nil, pg.Translate(err)
	}
	found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (Hit, error) {
		var h Hit
		var key int64
		var review []byte
		var at time.Time
		err := row.Scan(append(h.fields(&at), &key, &h.Content, &h.AnnotationID, &h.Category, &review)...)
		h.CreatedAt, h.Similarity, h.Review = at.UnixMilli(), similarity(distances[key]), vector.FromBytes(review)
		return h, err
	})
	slices.SortFunc(found, nearestFirst)
	return found, pg.Translate(err)
}

// nearestFirst is the order of an answer: the nearest, then the newest, then by id.
func nearestFirst(a, b Hit) int {
	return cmp.Or(cmp.Compare(b.Similarity, a.Similarity), cmp.Compare(b.CreatedAt, a.CreatedAt), strings.Compare(a.RecordID, b.RecordID))
}
