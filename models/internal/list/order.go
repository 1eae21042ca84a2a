package list

import (
	"slices"
	"strings"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/redline-svc/redline/models/internal/pg"
)

// Order is what a list is sorted by. The text of ORDER BY and the condition for what
// stands behind a position both come from it. The last column is unique among
// rows that are equal in those before it. It never changes, so it can be shared.
type Order struct{ columns []column }

type column struct {
	name       string
	descending bool
}

// Ascending sorts by columns, the smallest values first.
func Ascending(columns ...string) Order { return by(columns, false) }

// Descending sorts by columns, the largest values first.
func Descending(columns ...string) Order { return by(columns, true) }

func by(names []string, descending bool) Order {
	columns := make([]column, len(names))
	for i, name := range names {
		columns[i] = column{name, descending}
	}
	return Order{columns}
}

// Then sorts by the columns of another order what is equal in this one.
func (o Order) Then(next Order) Order { return Order{slices.Concat(o.columns, next.columns)} }

// Reversed is the same order from its end.
func (o Order) Reversed() Order {
	columns := slices.Clone(o.columns)
	for i := range columns {
		columns[i].descending = !columns[i].descending
	}
	return Order{columns}
}

// In is the order by the columns of these names in another table.
func (o Order) In(table string) Order {
	columns := slices.Clone(o.columns)
	for i, c := range columns {
		columns[i].name = table + "." + c.name[strings.LastIndexByte(c.name, '.')+1:]
	}
	return Order{columns}
}

// String is the text behind ORDER BY.
func (o Order) String() string {
	texts := make([]string, len(o.columns))
	for i, c := range o.columns {
		texts[i] = c.name
		if c.descending {
			texts[i] += " DESC"
		}
	}
	return strings.Join(texts, ", ")
}

// After narrows a query to what stands behind the row with these values, one for
// each column.
func (o Order) After(q *pg.Conditions, values ...any) { o.narrow(q, "", values) }

// From narrows a query to that row and what stands behind it.
func (o Order) From(q *pg.Conditions, values ...any) { o.narrow(q, "=", values) }

func (o Order) narrow(q *pg.Conditions, orAt string, values []any) {
	placeholders := make([]string, len(values))
	for i, v := range values {
		placeholders[i] = q.Value(v)
	}
	q.Parts = append(q.Parts, o.behind(orAt, func(i int) string { return placeholders[i] }))
}

// Scope has the order for a statement of GORM, which, given values, has only
// what stands behind the row with them.
func (o Order) Scope(values ...any) func(*gorm.Statement) {
	return func(s *gorm.Statement) {
		if len(values) > 0 {
			var args []any
			text := o.behind("", func(i int) string {
				args = append(args, values[i])
				return "?"
			})
			s.AddClause(clause.Where{Exprs: []clause.Expression{clause.Expr{SQL: text, Vars: args}}})
		}
		s.Order(o.String())
	}
}

// behind is the condition for what stands behind a row; value returns the text for
// its value in a column, from left to right. Columns of one direction are compared
// as a row, so that an index is entered at its position.
func (o Order) behind(orAt string, value func(i int) string) string {
	first := o.columns[0]
	mixed := slices.ContainsFunc(o.columns, func(c column) bool { return c.descending != first.descending })
	if mixed {
		return o.columnByColumn(orAt, value)
	}
	names, values := make([]string, len(o.columns)), make([]string, len(o.columns))
	for i, c := range o.columns {
		names[i], values[i] = c.name, value(i)
	}
	return row(names) + " " + first.sign() + orAt + " " + row(values)
}

// columnByColumn is the condition where directions differ. What it says of the first
// column alone is where an index can begin.
func (o Order) columnByColumn(orAt string, value func(i int) string) string {
	var cases []string
	last := len(o.columns) - 1
	for i, c := range o.columns {
		var parts []string
		for j, before := range o.columns[:i] {
			parts = append(parts, before.name+" = "+value(j))
		}
		sign := c.sign()
		if i == last {
			sign += orAt
		}
		parts = append(parts, c.name+" "+sign+" "+value(i))
		cases = append(cases, strings.Join(parts, " AND "))
	}
	first := o.columns[0]
	return "(" + strings.Join(cases, " OR ") + ") AND " + first.name + " " + first.sign() + "= " + value(0)
}

// sign compares a column of what stands behind a row with the row's.
func (c column) sign() string {
	if c.descending {
		return "<"
	}
	return ">"
}

func row(texts []string) string {
	if len(texts) == 1 {
		return texts[0]
	}
	return "(" + strings.Join(texts, ", ") + ")"
}
