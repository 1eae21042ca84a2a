package activity_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models/activity"
	"github.com/redline-svc/redline/models/annotation"
	"github.com/redline-svc/redline/models/internal/list"
	"github.com/redline-svc/redline/models/modelstest"
)

// recorded lets a comment be kept as an activity.
func recorded(c *annotation.NewComment) { c.Record = true }

// A page reads the same number of records wherever it stands, whatever it is narrowed to
// that finds records: also where those of another document lie between them, where many more are
// behind them, and where all that others did is newer.
func TestActivities_6_APageReadsTheSameEverywhere(t *testing.T) {
	t.Parallel()
	d := modelstest.NewAnnotations(t)
	store := activity.New(d.DB)
	d.Add("d", modelstest.Note("n", modelstest.Says("ann", "hi", recorded)))
	d.Add("e", modelstest.Note("m", modelstest.Says("bob", "hi", recorded)))
	const each, size = 20_000, 50
	base := time.UnixMilli(1_700_000_000_000)
	copies := func(from, to int, of ...string) {
		d.Exec(`INSERT INTO activities SELECT (jsonb_populate_record(a, jsonb_build_object('id', a.annotation_id || n, 'created_at', $3::timestamptz + n * interval '1 ms'))).*
FROM activities a CROSS JOIN generate_series($1::int, $2::int) n WHERE a.id LIKE 'act%' AND a.annotation_id = ANY($4)`, from, to, base, of)
	}
	at := func(n int) *activity.Position {
		position := list.PositionOf(base.Add(time.Duration(n)*time.Millisecond), "zzz")
		return &position
	}
	reads := func(what string, f activity.Filter, from *activity.Position) {
		t.Helper()
		before := modelstest.RowsRead(t, d.DB, "activities")
		page, err := store.Get(t.Context(), modelstest.Workspace, f, from, size)
		require.NoError(t, err)
		require.Len(t, page.Items, size)
		require.NotNil(t, page.Next)
		assert.LessOrEqual(t, modelstest.RowsRead(t, d.DB, "activities")-before, int64(6*size), "%s from %v", what, from)
	}
	copies(1, each, "n", "m")
	for what, f := range map[string]activity.Filter{
		"all": {}, "a document": {DocumentID: "d"}, "a target": {TargetID: "n"}, "a target in a document": {TargetID: "n", DocumentID: "d"},
		"an actor": {Actor: "ann"}, "an actor in a document": {Actor: "ann", DocumentID: "d"}, "a viewer": {Viewer: "cat"},
		"a viewer in a document": {Viewer: "cat", DocumentID: "d"}, "before a time": {DocumentID: "d", Before: new(base.UnixMilli() + each)},
	} {
		f.OrganizationID = "acme"
		for _, oldest := range []bool{false, true} {
			f.Oldest = oldest
			for _, from := range []*activity.Position{nil, at(each - 1000), at(each / 2), at(1000)} {
				reads(what, f, from)
			}
		}
	}

	d.Add("far", modelstest.Note("rare", modelstest.Says("dan", "hi", recorded)))
	copies(-200, -1, "rare")
	for what, f := range map[string]activity.Filter{
		"a rare document": {DocumentID: "far"}, "a rare target": {TargetID: "rare"}, "a rare actor": {Actor: "dan"},
		"a rare target for a viewer": {TargetID: "rare", Viewer: "cat"}, "a rare target of an actor": {TargetID: "rare", Actor: "dan", DocumentID: "far"},
	} {
		f.OrganizationID = "acme"
		reads(what, f, nil)
	}
}

// A deletion of annotations about which there is nothing looks at no record, however many
// there are, and keeps nothing.
func TestDeletionsOfOthersCostNothing(t *testing.T) {
	t.Parallel()
	d := modelstest.NewAnnotations(t)
	d.Add("d", modelstest.Note("n", modelstest.Says("ann", "hi", recorded)), modelstest.Note("m", modelstest.Says("ann", "hi")))
	d.Exec(`INSERT INTO activities SELECT (jsonb_populate_record(a, jsonb_build_object('id', 'c' || n))).* FROM activities a CROSS JOIN generate_series(1, 5000) n`)
	remove := func(id string) {
		_, _, err := d.Notes.Delete(t.Context(), modelstest.Workspace, deletionOf(id))
		require.NoError(t, err)
	}
	before := modelstest.RowsRead(t, d.DB, "activities")
	remove("m")
	require.Equal(t, before, modelstest.RowsRead(t, d.DB, "activities"))
	require.Empty(t, d.Rows(`SELECT annotation_id FROM deleted_annotations`))
	remove("n")
	require.LessOrEqual(t, modelstest.RowsRead(t, d.DB, "activities")-before, int64(2))
	require.Equal(t, []string{"n public"}, d.Rows(`SELECT concat_ws(' ', annotation_id, visibility) FROM deleted_annotations`))
}

func deletionOf(id string) annotation.Deletion {
	return annotation.Deletion{Container: modelstest.In("d"), Which: annotation.Selection{IDs: []string{id}}}
}

// A viewer may see nothing of any number of records: a page looks at so many, is empty then, and the next one goes on.
func TestActivities_APageEndsBehindManyThatAreHidden(t *testing.T) {
	t.Parallel()
	d := modelstest.NewAnnotations(t)
	store := activity.New(d.DB)
	d.Add("open", modelstest.Note("n", modelstest.Says("ann", "hi", recorded)))
	d.Add("closed", modelstest.Note("m", modelstest.Says("ann", "hi", recorded)))
	d.Exec(`INSERT INTO activities SELECT (jsonb_populate_record(a, jsonb_build_object('id', 'copy-' || n, 'created_at', now() + n * interval '1 ms'))).*
FROM activities a CROSS JOIN generate_series(1, 12000) n WHERE a.annotation_id = 'm'`)
	d.Exec(`UPDATE documents SET access = 'restricted' WHERE document_id = 'closed'`)
	var sizes []int
	for after := (*activity.Position)(nil); ; {
		page, err := store.Get(t.Context(), modelstest.Workspace, activity.Filter{OrganizationID: "acme", Viewer: "cat"}, after, 50)
		require.NoError(t, err)
		sizes = append(sizes, len(page.Items))
		if after = page.Next; after == nil {
			break
		}
	}
	require.Len(t, sizes, 3)
	require.Equal(t, []int{0, 0}, sizes[:2])
	require.Positive(t, sizes[2])
}
