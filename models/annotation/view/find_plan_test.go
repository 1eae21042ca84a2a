package view_test

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models/annotation/view"
	"github.com/redline-svc/redline/models/modelstest"
)

// older and newer halves of a document have nothing in common: whoever walks past the one
// to get to the other looks at thousands.
var halves = []string{
	`INSERT INTO annotations OVERRIDING USER VALUE
SELECT (jsonb_populate_record(a, jsonb_build_object('annotation_id', 'n' || n, 'updated_ms', 1000 + n / 3) || CASE WHEN n <= 5000 THEN
    jsonb_build_object('author_id', 'early', 'status_id', 'DONE', 'location_id', 'first', 'resolved_by', 'bob', 'kind', 'suggestion',
        'suggestion', '{"status":"pending"}'::json, 'agent', '{"agentId":"checker","agentType":"custom","executionId":"run"}'::json)
    ELSE jsonb_build_object('author_id', 'late', 'location_id', 'last') END)).*
FROM annotations a CROSS JOIN generate_series(1, 10000) n WHERE a.annotation_id = 'a'`,
	`INSERT INTO annotation_mentions SELECT key, CASE WHEN author_id = 'early' THEN 'bob' ELSE 'cat' END, workspace_id, document_key, updated_ms, annotation_id
FROM annotations WHERE annotation_id <> 'a'`,
	`VACUUM ANALYZE annotations`, `VACUUM ANALYZE annotation_mentions`,
}

// A page looks at about as many rows as it has, the first one as well as the hundredth, in
// both orders and with any filter by values, wherever in the document these stand.
func TestAPageReadsWhatItHas(t *testing.T) {
	t.Parallel()
	d := modelstest.NewAnnotations(t)
	d.Add("d", modelstest.Note("a", modelstest.Says("ann", "One.")))
	for _, statement := range halves {
		d.Exec(statement)
	}
	var document int64
	require.NoError(t, d.DB.Pool.QueryRow(t.Context(), `SELECT document_key FROM annotations WHERE annotation_id = 'a'`).Scan(&document))
	const size, pages, most = 20, 100, 500
	for name, s := range map[string]view.Search{
		"all, latest first": {}, "all, oldest first": {Oldest: true},
		"author": {Authors: []string{"early"}}, "authors, oldest first": {Authors: []string{"late", "nobody", "ann"}, Oldest: true},
		"status": {StatusIDs: []string{"DONE"}}, "statuses": {StatusIDs: []string{"DONE", "OTHER"}}, "status, oldest first": {StatusIDs: []string{"OPEN"}, Oldest: true},
		"location": {LocationIDs: []string{"first"}}, "locations, oldest first": {LocationIDs: []string{"last", "none"}, Oldest: true},
		"resolver": {ResolvedBy: "bob"}, "kind": {Kind: "suggestion"}, "kind, oldest first": {Kind: "comment", Oldest: true},
		"agent": {AgentID: "checker"}, "execution": {ExecutionID: "run"}, "agents": {AgentTypes: []string{"built-in", "custom", "external"}},
		"suggested": {Suggested: true}, "mentioned": {Mentioned: []string{"bob"}}, "mentioned, oldest first": {Mentioned: []string{"cat", "eve"}, Oldest: true},
		"status of an author": {StatusIDs: []string{"DONE", "OTHER"}, Authors: []string{"early"}},
	} {
		t.Run(name, func(t *testing.T) {
			touched := func(after *view.Change) int {
				query, args := s.Statement(modelstest.Workspace, []int64{document}, after, size)
				return modelstest.BlocksBehind(t, d.DB, view.ByIndex, query, args)
			}
			before := func(rows int) *view.Change {
				query, args := s.Statement(modelstest.Workspace, []int64{document}, nil, rows-1)
				found, err := d.DB.Pool.Query(t.Context(), query, args...)
				require.NoError(t, err)
				var at view.Change
				var in, key int64
				tag, err := pgx.ForEachRow(found, []any{&in, &key, &at.UpdatedMs, &at.ID}, func() error { return nil })
				require.NoError(t, err)
				require.EqualValues(t, rows, tag.RowsAffected())
				return &at
			}
			require.Less(t, touched(nil), most)
			require.Less(t, touched(before(size*(pages-1))), most)
		})
	}
	none := view.Search{Authors: []string{"nobody", "eve"}}
	query, args := none.Statement(modelstest.Workspace, []int64{document}, nil, size)
	require.Less(t, modelstest.BlocksBehind(t, d.DB, view.ByIndex, query, args), 50, "nor does it look for what is not there")
}

// Of many documents, only those are looked at further in which a page begins.
func TestAPageOfManyDocuments(t *testing.T) {
	t.Parallel()
	d := modelstest.NewAnnotations(t)
	d.Add("d", modelstest.Note("a", modelstest.Says("ann", "One.")))
	d.Exec(`INSERT INTO documents OVERRIDING USER VALUE SELECT (jsonb_populate_record(d, jsonb_build_object('document_id', 'd' || n))).*
FROM documents d CROSS JOIN generate_series(1, 50) n`)
	d.Exec(`INSERT INTO annotations OVERRIDING USER VALUE
SELECT (jsonb_populate_record(a, jsonb_build_object('annotation_id', d.document_id || '/' || n, 'updated_ms', 1000 + (d.key * 7 + n * 13) % 40, 'document_key', d.key))).*
FROM annotations a CROSS JOIN documents d CROSS JOIN generate_series(1, 5) n WHERE d.document_id <> 'd'`)
	want := d.Rows(`SELECT annotation_id FROM annotations ORDER BY updated_ms DESC, annotation_id DESC`)
	var seen []string
	var after *view.Position
	for more := true; more; more = after != nil {
		page, err := d.Reads.Find(t.Context(), modelstest.Workspace, view.Search{OrganizationID: "acme"}, after, 4)
		require.NoError(t, err)
		for _, a := range page.Items {
			seen = append(seen, a.AnnotationID)
		}
		after = page.Next
	}
	require.Equal(t, want, seen)
}

// A search in many documents waits until others of its workspace are done; one for annotations that are named looks in theirs alone.
func TestSearchesInManyDocumentsAreMadeOneAfterTheOther(t *testing.T) {
	t.Parallel()
	d := modelstest.NewAnnotations(t)
	for _, document := range []string{"d", "e"} {
		d.Add(document, modelstest.Note("in "+document, modelstest.Says("ann", "One.")))
	}
	v := d.Reads.Queueing(1)
	find := func(ctx context.Context, s view.Search) (found []string, err error) {
		s.OrganizationID, s.Viewer = "acme", "ann"
		page, err := v.Find(ctx, modelstest.Workspace, s, nil, 10)
		if err != nil {
			return nil, err
		}
		for _, a := range page.Items {
			found = append(found, a.AnnotationID)
		}
		return found, nil
	}
	searched := make(chan []string, 1)
	require.NoError(t, d.DB.CountMany(t.Context(), modelstest.Workspace, func() error {
		short, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		_, err := find(short, view.Search{})
		require.Error(t, err, "it waits")
		for _, few := range []view.Search{{DocumentIDs: []string{"e"}}, {IDs: []string{"in e"}}} {
			found, err := find(t.Context(), few)
			require.NoError(t, err)
			require.Equal(t, []string{"in e"}, found)
		}
		go func() {
			all, err := find(context.WithoutCancel(t.Context()), view.Search{})
			if err != nil {
				t.Error(err)
			}
			searched <- all
		}()
		return nil
	}))
	require.ElementsMatch(t, []string{"in d", "in e"}, <-searched)
}
