package list_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models/internal/list"
	"github.com/redline-svc/redline/models/internal/pg"
)

func TestAnOrderSortsAndFindsWhatStandsBehindAPosition(t *testing.T) {
	t.Parallel()
	number := list.Ascending("seq")
	newest := list.Descending("d.updated_at", "d.id")
	mixed := list.Descending("a.updated").Then(list.Ascending("a.id"))
	for _, c := range []struct {
		order             list.Order
		text, after, from string
	}{
		{number, "seq", "seq > $2", "seq >= $2"},
		{number.Reversed(), "seq DESC", "seq < $2", "seq <= $2"},
		{newest, "d.updated_at DESC, d.id DESC", "(d.updated_at, d.id) < ($2, $3)", "(d.updated_at, d.id) <= ($2, $3)"},
		{newest.Reversed(), "d.updated_at, d.id", "(d.updated_at, d.id) > ($2, $3)", "(d.updated_at, d.id) >= ($2, $3)"},
		{newest.In("p"), "p.updated_at DESC, p.id DESC", "(p.updated_at, p.id) < ($2, $3)", "(p.updated_at, p.id) <= ($2, $3)"},
		{number.In("p"), "p.seq", "p.seq > $2", "p.seq >= $2"},
		{
			mixed, "a.updated DESC, a.id",
			"(a.updated < $2 OR a.updated = $2 AND a.id > $3) AND a.updated <= $2",
			"(a.updated < $2 OR a.updated = $2 AND a.id >= $3) AND a.updated <= $2",
		},
	} {
		values := []any{7, "id"}[:strings.Count(c.text, ",")+1]
		after, from := pg.NewConditions("ws"), pg.NewConditions("ws")
		c.order.After(after, values...)
		c.order.From(from, values...)
		assert.Equal(t, c.text, c.order.String())
		assert.Equal(t, " AND "+c.after, after.Text())
		assert.Equal(t, " AND "+c.from, from.Text())
		assert.Equal(t, slices.Concat([]any{"ws"}, values), after.Args)
	}
	assert.Equal(t, "d.updated_at DESC, d.id DESC", newest.String(), "nothing above changed it")
}

func TestStatementsReadOneRowMore(t *testing.T) {
	t.Parallel()
	order := list.Descending("e.seq")
	q := pg.NewConditions("ws")
	order.After(q, 9)
	rows := order.First(q, "SELECT e.seq FROM e WHERE e.ws = $1", 5)
	assert.Equal(t, "SELECT e.seq FROM e WHERE e.ws = $1 AND e.seq < $2 ORDER BY e.seq DESC LIMIT $3", rows)
	fit := order.Fit(q, rows, "8", 5)
	assert.Contains(t, fit, "WINDOW walk AS (ORDER BY p.seq DESC)")
	assert.Contains(t, fit, "p.place <= $4 AND (p.total <= $5 OR p.place = 1)")
	assert.Equal(t, []any{"ws", 9, 6, 5, list.AnswerLimit}, q.Args)
}

// found are rows one to n, each at its number.
func found(n int) *list.Found[int, int] {
	var f list.Found[int, int]
	for i := range n {
		f.Add(i+1, i+1)
	}
	return &f
}

func TestAPageSaysWhereTheNextOneBegins(t *testing.T) {
	t.Parallel()
	f := found(4)
	f.Cut(3)
	assert.Equal(t, &list.Page[int, int]{Items: []int{1, 2, 3}, Next: new(3)}, f.Page())
	f.Cut(2)
	assert.Equal(t, new(2), f.Page().Next, "cut twice")
	f = found(3)
	f.Cut(3)
	assert.Nil(t, f.Page().Next, "a full page can be the last one")
	f.Count = 4 // as a statement says that cut the rows itself
	assert.Equal(t, new(3), f.Page().Next)
	assert.Equal(t, &list.Page[int, int]{Items: []int{}}, found(0).Page())
}

func TestAPageEndsWhereAnAnswerIsFull(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		each int64
		kept int
	}{{list.AnswerLimit/3 + 1, 2}, {list.AnswerLimit / 2, 2}, {list.AnswerLimit / 5, 4}, {list.AnswerLimit + 1, 1}} {
		f := found(4)
		f.CutBytes(func(int) int64 { return c.each })
		assert.Len(t, f.Page().Items, c.kept)
		assert.Equal(t, c.kept < 4, f.More())
	}
}

func TestAPositionKeepsMicroseconds(t *testing.T) {
	t.Parallel()
	at := time.UnixMicro(1234567890123456)
	position := list.PositionOf(at, "x")
	assert.Equal(t, list.Position{At: 1234567890123456, ID: "x"}, position)
	assert.Equal(t, []any{at, "x"}, position.Values())
}

type item struct {
	id    string
	bytes int64
}

func (i *item) Name() string     { return i.id }
func (i *item) Position() string { return "at " + i.id }
func (i *item) Bytes() int64     { return i.bytes }

func TestAListCanBeAskedForBySlots(t *testing.T) {
	t.Parallel()
	a, b, c := &item{"a", 1}, &item{"b", 1}, &item{"c", list.AnswerLimit}
	type position = list.SlotPosition[string]

	p := list.NewPager[string, string](nil, nil, 2)
	assert.Equal(t, &list.SlotPage[item, string]{Items: []*item{a, b}, Next: &position{At: "at b"}}, list.CutPage(p, []*item{a, b, c}))
	assert.Nil(t, list.CutPage(p, []*item{a, b}).Next)
	assert.Equal(t, &position{At: "at b"}, list.CutPage(list.NewPager[string, string](nil, nil, 5), []*item{a, b, c}).Next, "the third is large")

	ids := []string{"b", "none", "b", "a"}
	p = list.NewPager[string, string](ids, nil, 2)
	q := pg.NewConditions("ws")
	p.Narrow(q, "id", func(string) { require.Fail(t, "no position in the list") })
	assert.Equal(t, []any{"ws", []string{"b", "none"}}, q.Args)
	first := list.CutPage(p, []*item{b})
	assert.Equal(t, &list.SlotPage[item, string]{Items: []*item{b, nil}, Next: &position{Slots: 2}}, first)
	p = list.NewPager(ids, first.Next, 2)
	assert.Equal(t, &list.SlotPage[item, string]{Items: []*item{a}}, list.CutPage(p, []*item{a}))
	assert.Empty(t, list.CutPage(list.NewPager(ids, &position{Slots: 9}, 2), []*item{}).Items)
}
