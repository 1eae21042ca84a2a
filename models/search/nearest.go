package search

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/knowledge"
	"github.com/redline-svc/redline/models/subject"
	"github.com/redline-svc/redline/models/vector"
)

// named is up to how many sources a scope has for the index to be asked for these alone.
// Of more of them the index is asked for all sources, and what is of others is left out
// when it is found: so many that are near are hardly all of others.
const named = 200

// Near asks for items of live versions of one corpus.
type Near struct {
	Corpus vector.Corpus
	// Vector of the question and the name under which vectors of its kind are kept.
	Vector []float32
	Model  string
	// OrganizationID leaves out sources that are scoped to another organization, and
	// DocumentID those that are scoped to another document; empty for none. Sources
	// without a scope are always among those that are searched.
	OrganizationID, DocumentID string
	Limit                      int
}

// Nearest finds items by meaning, as Search does, and returns none without a score: where
// the index does not answer in time there are none, and the answer is Degraded.
func (f *Searches) Nearest(ctx context.Context, workspaceID string, index VectorIndex, n Near) (*Found, error) {
	until := time.Now().Add(indexLimit)
	if !f.enter(ctx, workspaceID, until) {
		return &Found{Degraded: true}, nil
	}
	defer f.slots.Release(workspaceID, 1)
	q := Query{Vector: n.Vector, Model: n.Model, Limit: n.Limit, Rules: n.Corpus == vector.Rules, near: &n}
	return f.search(ctx, workspaceID, index, q, until)
}

// narrowed reports whether the question leaves sources out by their scope.
func (n *Near) narrowed() bool { return n != nil && n.OrganizationID != "" }

// scope reads the live sources within the scope: all, or one more than are named.
func (s *searchSnapshot) scope(b *pgx.Batch) {
	if !s.q.near.narrowed() {
		return
	}
	where := s.q.near.conditions(s.workspaceID)
	limit := where.Value(named + 1)
	b.Queue(`SELECT s.id FROM sources s WHERE s.workspace_id = $1`+where.Text()+` LIMIT `+limit, where.Args...).
		Query(func(rows pgx.Rows) (err error) {
			s.within, err = pgx.CollectRows(rows, pgx.RowTo[string])
			return err
		})
}

func (n *Near) conditions(workspaceID string) *pg.Conditions {
	q := pg.NewConditions(workspaceID)
	q.And("s.live IS NOT NULL")
	subject.Within(q, "s.organization_key", "s.document_key", n.OrganizationID, n.DocumentID)
	q.And(knowledge.VisibleSource)
	return q
}

// few are the sources that the index is asked for alone; nil where it is asked for all.
func (s *searchSnapshot) few() []string {
	if len(s.within) > named {
		return nil
	}
	return s.within
}

// keep reads which sources of hits are within the scope, where the index was asked for
// all. It is queued before the rows of the hits: what takes them looks at it.
func (s *searchSnapshot) keep(b *pgx.Batch, hits []vector.Hit) {
	if len(s.within) <= named {
		return
	}
	found := make([]string, len(hits))
	for i, hit := range hits {
		found[i] = hit.Source
	}
	slices.Sort(found)
	where := s.q.near.conditions(s.workspaceID)
	where.And("s.id = ANY (%s)", slices.Compact(found))
	b.Queue(`SELECT s.id FROM sources s WHERE s.workspace_id = $1`+where.Text(), where.Args...).
		Query(func(rows pgx.Rows) error {
			var id string
			s.kept = map[string]bool{}
			_, err := pgx.ForEachRow(rows, []any{&id}, func() error {
				s.kept[id] = true
				return nil
			})
			return err
		})
}
