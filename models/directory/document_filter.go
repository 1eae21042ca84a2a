package directory

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/models/internal/list"
	"github.com/redline-svc/redline/models/internal/pg"
)

// Operators of conditions on documents.
const (
	IsEqual          = "=="
	IsNotEqual       = "!="
	IsLess           = "<"
	IsAtMost         = "<="
	IsGreater        = ">"
	IsAtLeast        = ">="
	ArrayContains    = "array-contains"
	IsIn             = "in"
	IsNotIn          = "not-in"
	ArrayContainsAny = "array-contains-any"
)

// Condition is one on a top-level key of documents: on their names, or on one of the caller's
// own keys. Values are JSON scalars; operators that compare with one have one.
type Condition struct {
	Key      string            `json:"key"`
	Operator string            `json:"operator"`
	Values   []json.RawMessage `json:"values"`
}

// nameKey is the key of the name of a document.
const nameKey = "documentName"

// tests are conditions made ready for many documents: a value is looked up, however many there are.
type tests []test

type test struct {
	Condition

	// values are those of the condition by their kind and what they are, kinds their kinds.
	values map[scalar]bool
	kinds  map[byte]bool
}

// scalar is what equal values have in common: strings their text, numbers how they are written shortest.
type scalar struct {
	kind byte
	text string
}

func scalarOf(value json.RawMessage) scalar {
	s := scalar{kind: kindOf(value), text: string(value)}
	switch s.kind {
	case '"':
		_ = json.Unmarshal(value, &s.text) // a text of JSON
	case '0':
		s.text = shape.Number(value).Canonical()
	default:
	}
	return s
}

func testsOf(conditions []Condition) tests {
	made := make(tests, len(conditions))
	for i, c := range conditions {
		made[i] = test{c, map[scalar]bool{}, map[byte]bool{}}
		for _, value := range c.Values {
			of := scalarOf(value)
			made[i].values[of], made[i].kinds[of.kind] = true, true
		}
	}
	return made
}

// match reports whether a document keeps to all of the conditions.
func (all tests) match(v *DocumentView) bool {
	own := shape.MembersOf(v.Extra)
	for _, t := range all {
		var value json.RawMessage
		if at := slices.IndexFunc(own, func(m shape.Pair) bool { return m.Name == t.Key }); at >= 0 {
			value = own[at].Value
		}
		if t.Key == nameKey {
			value = shape.Encode(v.Name)
		}
		if !t.holds(value) {
			return false
		}
	}
	return true
}

// holds reports whether a value keeps to the condition. One that is missing or null, or that
// is of another type than what it is compared with, keeps to none.
func (t test) holds(value json.RawMessage) bool {
	switch t.Operator {
	case ArrayContains, ArrayContainsAny:
		var items []json.RawMessage
		if len(value) == 0 || value[0] != '[' || json.Unmarshal(value, &items) != nil {
			return false
		}
		return slices.ContainsFunc(items, t.among)
	case IsIn, IsEqual:
		return t.among(value)
	case IsNotIn, IsNotEqual:
		return t.kinds[kindOf(value)] && !t.among(value)
	default:
		return t.ordered(value)
	}
}

// among reports whether a value equals one of those of the condition, which are all of some kind.
func (t test) among(value json.RawMessage) bool {
	return t.kinds[kindOf(value)] && t.values[scalarOf(value)]
}

// ordered reports whether a value stands to that of the condition as its operator says; of
// booleans none is the lesser.
func (c Condition) ordered(value json.RawMessage) bool {
	order, same := compared(value, c.Values[0])
	if !same || kindOf(value) == 't' {
		return false
	}
	switch c.Operator {
	case IsLess:
		return order < 0
	case IsAtMost:
		return order <= 0
	case IsGreater:
		return order > 0
	default:
		return order >= 0
	}
}

// kindOf tells strings, booleans and numbers apart by a letter; 0 is everything else.
func kindOf(value json.RawMessage) byte {
	switch {
	case len(value) == 0:
		return 0
	case value[0] == '"':
		return '"'
	case value[0] == 't' || value[0] == 'f':
		return 't'
	case value[0] == '-' || value[0] >= '0' && value[0] <= '9':
		return '0'
	default:
		return 0
	}
}

// compared is the order of two values of one type: strings by bytes, numbers exactly.
func compared(a, b json.RawMessage) (order int, same bool) {
	kind := kindOf(a)
	if kind == 0 || kind != kindOf(b) {
		return 0, false
	}
	switch kind {
	case '0':
		return shape.Number(a).Compare(shape.Number(b)), true
	case 't':
		return bytes.Compare(a, b), true
	default:
		var x, y string
		_ = json.Unmarshal(a, &x) // both are texts of JSON
		_ = json.Unmarshal(b, &y)
		return strings.Compare(x, y), true
	}
}

// How many documents, with how many bytes, a page with conditions looks at, and how many it
// reads at once.
const (
	maxExamined      = 10_000
	examined         = 500
	maxExaminedBytes = 8 << 20
)

// matching reads a page of the documents that keep to the conditions of the filter. It ends
// where so many have been looked at, so it may have fewer than its size, or none, and go on.
func (f DocumentFilter) matching(ctx context.Context, tx *pg.Tx, workspaceID string, after *DocumentPosition, size int) (*DocumentPage, error) {
	page := &DocumentPage{Items: []DocumentView{}}
	conditions, bytes := testsOf(f.Conditions), 0
	for seen, read := 0, 0; seen < maxExamined && read < maxExaminedBytes; {
		some, err := f.read(ctx, tx, workspaceID, after, examined)
		if err != nil {
			return nil, err
		}
		for _, d := range some.Items {
			seen, read = seen+1, read+len(d.Extra)
			after = new(list.PositionOf(d.CreatedAt, d.ID))
			if !conditions.match(&d) {
				continue
			}
			page.Items = append(page.Items, d)
			if bytes += len(d.Extra) + len(d.Name); len(page.Items) == size || bytes > list.AnswerLimit {
				page.Next = after
				return page, nil
			}
		}
		if some.Next == nil {
			return page, nil
		}
	}
	page.Next = after
	return page, nil
}

// Count returns how many documents keep to the filter, in one state of the rows.
func (s *Documents) Count(ctx context.Context, workspaceID string, f DocumentFilter) (n int64, err error) {
	err = s.db.CountMany(ctx, workspaceID, func() error {
		if len(f.Conditions) == 0 {
			q := f.conditions(workspaceID)
			return s.db.Pool.QueryRow(ctx, `SELECT count(*) FROM documents d WHERE d.workspace_id = $1`+q.Text(), q.Args...).Scan(&n)
		}
		return s.db.Read(ctx, func(tx *pg.Tx) (err error) {
			n, err = f.countMatching(ctx, tx, workspaceID)
			return err
		})
	})
	return n, err
}

// countMatching looks at all documents, some at a time.
func (f DocumentFilter) countMatching(ctx context.Context, tx *pg.Tx, workspaceID string) (n int64, err error) {
	var after *DocumentPosition
	conditions := testsOf(f.Conditions)
	for {
		some, err := f.read(ctx, tx, workspaceID, after, examined)
		if err != nil {
			return 0, err
		}
		for i := range some.Items {
			if conditions.match(&some.Items[i]) {
				n++
			}
		}
		if after = some.Next; after == nil {
			return n, nil
		}
	}
}
