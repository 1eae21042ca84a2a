package view

import (
	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/internal/list"
	"github.com/redline-svc/redline/models/internal/pg"
)

// latest is the order of whole annotations. Both columns go the same way, so an index is
// entered where a page begins.
var latest = list.Descending("updated_ms", "annotation_id")

// order is the order of a search.
func (s *Search) order() list.Order {
	if s.Oldest {
		return latest.Reversed()
	}
	return latest
}

// narrowing is a filter by the values of a column. An index has the annotations of a
// document with each value in order.
type narrowing struct {
	column string
	values []string
}

// narrowings are the filters by values that are in use, first those that usually leave the
// fewest annotations.
func (s *Search) narrowings() (used []narrowing) {
	one := func(value string) []string {
		if value == "" {
			return nil
		}
		return []string{value}
	}
	for _, n := range []narrowing{
		{"m.user_id", s.Mentioned},
		{"a.agent->>'executionId'", one(s.ExecutionID)},
		{"a.agent->>'agentId'", one(s.AgentID)},
		{"a.resolved_by", one(s.ResolvedBy)},
		{"a.author_id", s.Authors},
		{"a.location_id", s.LocationIDs},
		{"a.status_id", s.StatusIDs},
		{"a.agent->>'agentType'", s.AgentTypes},
		{"a.kind", one(s.Kind)},
	} {
		if n.values = pg.Distinct(n.values); len(n.values) > 0 {
			used = append(used, n)
		}
	}
	return used
}

// narrow adds the filters. What only one value narrows is looked up by that, also as its
// index has it. The values of the first filter that has several are given back: they are
// walked one by one, as v.
func (s *Search) narrow(q *pg.Conditions) (walked []string) {
	for _, n := range s.narrowings() {
		is := n.column + " = %[1]s AND hashtextextended(" + n.column + ", 0) = hashtextextended(%[1]s, 0)"
		switch {
		case len(n.values) == 1:
			q.And(is, n.values[0])
		case walked == nil:
			walked = n.values
			q.Parts = append(q.Parts, n.column+" = v.value AND hashtextextended("+n.column+", 0) = hashtextextended(v.value, 0)")
		default:
			q.And(n.column+" = ANY(%s)", n.values)
		}
	}
	s.narrowFurther(q)
	return walked
}

// narrowFurther adds the filters that are no single values.
func (s *Search) narrowFurther(q *pg.Conditions) {
	if s.Suggested {
		q.And("a.agent->>'agentType' IS NOT NULL AND a.suggestion->>'status' = 'pending'")
	}
	if s.Viewer != "" {
		q.And(directory.VisibleTo, []string{s.Viewer})
	}
	for _, bound := range []struct {
		condition string
		ms        *int64
	}{
		{"a.created_ms > %s", s.CreatedAfter},
		{"a.created_ms < %s", s.CreatedBefore},
		{s.table() + ".updated_ms > %s", s.UpdatedAfter},
		{s.table() + ".updated_ms < %s", s.UpdatedBefore},
	} {
		if bound.ms != nil {
			q.And(bound.condition, *bound.ms)
		}
	}
}

// mentioning are annotations a with the users whom they mention.
const mentioning = `annotation_mentions m JOIN annotations a ON a.key = m.annotation_key`

// table has the rows that are walked: annotations, or where these mention somebody.
func (s *Search) table() string {
	if len(s.Mentioned) > 0 {
		return "m"
	}
	return "a"
}

// walk is the statement that finds the first annotations of each of the documents, so many
// of each, and of these the first ones of all: one more than a page has. What one document
// has is found by an index in the order of the page, value by value where a filter has
// several of them, so that no more is read than a page of each.
func (s *Search) walk(workspaceID string, documents []int64, each int, p list.Pager[string, Change]) statement {
	q := pg.NewConditions(workspaceID)
	in, limit, size := q.Value(documents), q.Value(each), q.Value(p.Size+1)
	order := s.order().In(s.table())
	p.Narrow(q, "a.annotation_id", func(at Change) { order.After(q, at.UpdatedMs, at.ID) })
	walked := s.narrow(q)
	n := `SELECT a.key, a.updated_ms, a.annotation_id FROM annotations a WHERE a.document_key = p.key`
	if len(s.Mentioned) > 0 {
		n = `SELECT m.annotation_key AS key, m.updated_ms, m.annotation_id FROM ` + mentioning + ` WHERE m.document_key = p.key`
	}
	n += q.Text() + ` ORDER BY ` + order.String() + ` LIMIT ` + limit
	first := ` ORDER BY ` + s.order().In("n").String() + ` LIMIT `
	if walked != nil { // an annotation may mention several users
		n = `SELECT DISTINCT n.* FROM unnest(` + q.Value(walked) + `::text[]) v (value) CROSS JOIN LATERAL (` + n + `) n` + first + limit
	}
	return statement{`SELECT p.key, n.key, n.updated_ms, n.annotation_id FROM documents p CROSS JOIN LATERAL (` + n + `) n
WHERE p.workspace_id = $1 AND p.key = ANY(` + in + `)` + first + size, q.Args}
}

// slots is the statement that finds the annotations with the ids of a page in the documents.
func (s *Search) slots(workspaceID string, documents []int64, p list.Pager[string, Change]) statement {
	q := pg.NewConditions(workspaceID)
	q.And("a.document_key = ANY(%s)", documents)
	p.Narrow(q, "a.annotation_id", nil)
	for _, n := range s.narrowings() {
		q.And(n.column+" = ANY(%s)", n.values)
	}
	s.narrowFurther(q)
	from := `annotations a`
	if len(s.Mentioned) > 0 {
		from = mentioning
	}
	return statement{`SELECT DISTINCT a.document_key, a.key, a.updated_ms, a.annotation_id FROM ` + from + ` WHERE a.workspace_id = $1` + q.Text(), q.Args}
}
