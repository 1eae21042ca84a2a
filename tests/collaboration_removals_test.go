package tests

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
)

// sourcesGone is after how long nothing of a removed source is left in rows, files and
// index.
const sourcesGone = 2 * time.Minute

// withoutSources proves that no read gives anything of sources: not their status, not
// in a search, named or not.
func (s *scene) withoutSources(sourceIDs ...string) {
	s.t.Helper()
	for _, id := range sourceIDs {
		require.Equal(s.t, "unknown-source", s.refusedAs("NOT_FOUND", "memory/knowledge/ingest-status", map[string]any{"sourceId": id}).Reason)
		require.Empty(s.t, s.search("bills", map[string]any{"sourceId": id, "includeRules": true}).Results)
	}
	for _, hit := range s.search("bills", map[string]any{"limit": 50, "includeRules": true}).Results {
		require.NotContains(s.t, sourceIDs, hit.SourceID)
	}
}

// onlySources waits until rows and index hold nothing but these sources, a version
// each.
func (l *lab) onlySources(sourceIDs ...string) {
	l.t.Helper()
	rows := l.rows()
	within(l.t, sourcesGone, "what belonged to removed sources is gone", func() bool {
		for table, column := range map[string]string{"sources": "id", "source_versions": "source_id", "chunks": "source_id", "rules": "source_id"} {
			var others int
			require.NoError(l.t, rows.QueryRow(l.t.Context(), `SELECT count(*) FROM `+table+` WHERE `+column+` <> ALL ($1)`, sourceIDs).Scan(&others))
			if others > 0 {
				return false
			}
		}
		return true
	})
	var unused int
	require.NoError(l.t, rows.QueryRow(l.t.Context(), `SELECT count(*) FROM vectors v WHERE NOT EXISTS (SELECT FROM chunks r WHERE r.text_hash = v.text_hash)
AND NOT EXISTS (SELECT FROM rules r WHERE r.text_hash = v.text_hash)`).Scan(&unused))
	require.Zero(l.t, unused, "vectors of texts that are gone")
	report, err := l.checkIndex()
	require.NoError(l.t, err)
	require.Equal(l.t, []int{len(sourceIDs), 0, 0}, []int{report.Versions, report.Missing, report.Surplus})
}

// ingestAbout brings a text in that is scoped to an organization, or to a document.
func (s *scene) ingestAbout(organizationID, documentID, content string) string {
	s.t.Helper()
	data := ingestData(content)
	data["organizationId"] = organizationID
	if documentID != "" {
		data["documentId"] = documentID
	}
	return s.ingestAs(data)
}

// recorded are the judgments that a query finds, by what they say.
func (s *scene) recorded(query map[string]any) (reasons []string) {
	s.t.Helper()
	for _, judgment := range s.judgments(query).Results {
		reasons = append(reasons, judgment.Reasoning)
	}
	slices.Sort(reasons)
	return reasons
}

// removable is what stands in an organization: a document at the top and one in a
// folder in a folder, each with a remark, a decision, a source, a definition and an
// execution that goes on.
type removable struct {
	*scene
	organizationID string
	// sources are those scoped to "top", to "inside" and, by "", to the organization.
	sources map[string]string
	runs    map[string]*run
}

// removableIn fills an organization.
func (s *scene) removableIn(organizationID string) *removable {
	s.t.Helper()
	in := func(data map[string]any) map[string]any {
		data["organizationId"] = organizationID
		return data
	}
	s.items(addFolders, in(map[string]any{"createOrganization": true, "folders": []any{folder("outer"), folder("inner in outer")}}))
	for id, folderID := range map[string]string{"top": "root", "inside": "inner"} {
		s.items(addDocuments, in(map[string]any{"folderId": folderID, "documents": []any{map[string]any{"documentId": id}}}))
	}
	of := &removable{scene: s, organizationID: organizationID, sources: map[string]string{}, runs: map[string]*run{}}
	flow := s.define([]client.Node{client.Human("review", "ann"), client.Human("again", "ann"), client.Mock("end")},
		append(client.Both("review", "again"), client.Both("again", "end")...)...)
	for _, id := range []string{"top", "inside", ""} {
		of.sources[id] = s.ingestAbout(organizationID, id, housePaper)
		of.runs[id] = s.dispatch(flow, at(organizationID, id))
		of.runs[id].waitsAt("review")
		of.runs[id].decide("review", "ann", "approve", "decided "+id)
		of.runs[id].waitsAt("again")
	}
	for _, id := range []string{"top", "inside"} {
		s.annotate(in(map[string]any{"documentId": id, "commentAnnotations": []any{annotated(unique("note"), wrote("ann", "remark "+id))}}))
	}
	for _, source := range of.sources {
		s.broughtIn(source, "completed")
	}
	return of
}

// keeps proves which judgments and sources are there, by the ids of their documents;
// "" stands for those of the organization alone.
func (of *removable) keeps(ids ...string) {
	of.t.Helper()
	var reasons, sources, gone []string
	for id, source := range of.sources {
		if !slices.Contains(ids, id) {
			gone = append(gone, source)
			if id != "" {
				require.Empty(of.t, of.recorded(map[string]any{"organizationId": of.organizationID, "documentId": id}))
			}
			continue
		}
		sources = append(sources, source)
		reasons = append(reasons, "decided "+id)
		if id != "" {
			reasons = append(reasons, "remark "+id)
		}
	}
	require.ElementsMatch(of.t, reasons, of.recorded(map[string]any{"organizationId": of.organizationID}))
	if len(gone) > 0 {
		of.withoutSources(gone...)
	}
	for _, source := range sources {
		require.Len(of.t, of.search("bills", map[string]any{"sourceId": source}).Results, 2)
	}
}

// goesOn proves that an execution is read with the ids that it had, and ends.
func (of *removable) goesOn(documentID string) {
	of.t.Helper()
	r := of.runs[documentID]
	r.decide("again", "ann", "approve", "late "+documentID)
	view := r.ends("completed")
	require.Equal(of.t, of.organizationID, *view.OrganizationID)
	query := map[string]any{"organizationId": of.organizationID, "executionId": r.id, "status": "completed", "nodeType": "human"}
	if documentID != "" {
		require.Equal(of.t, []string{documentID, documentID, documentID, documentID}, r.about())
		query["documentId"] = documentID
	}
	require.Len(of.t, everyPage[client.Step](of.scene, "workflow/steps/list", query), 2)
}

// Judgments and sources of what is deleted are left out at once, one kind of thing
// after the other, and nothing of them is left in the end. Executions go on.
func TestRemoval_JudgmentsAndSourcesGoAndExecutionsGoOn(t *testing.T) {
	l := newLab(t)
	s := l.begin(l.start("serve"))
	byDocument, byFolder, whole, kept := s.removableIn("by-document"), s.removableIn("by-folder"), s.removableIn("whole"), s.removableIn("kept")
	files := s.status(whole.sources["inside"])
	byDocument.keeps("top", "inside", "")

	require.True(t, s.items(deleteDocuments, map[string]any{"organizationId": "by-document", "documentIds": []string{"top"}})["top"].Success)
	byDocument.keeps("inside", "")
	s.call(deleteFolder, map[string]any{"organizationId": "by-folder", "folderId": "outer"}, nil)
	byFolder.keeps("top", "")
	require.True(t, s.items(deleteOrganizations, map[string]any{"organizationIds": []string{"whole"}})["whole"].Success)
	whole.keeps()
	kept.keeps("top", "inside", "")
	for _, url := range []string{files.OriginalDownloadURL, files.CanonicalMdDownloadURL} {
		require.Equal(t, http.StatusNotFound, ask(t, http.MethodGet, url, "", nil).HTTP)
	}
	for of, ids := range map[*removable][]string{byDocument: {"top"}, byFolder: {"inside"}, whole: {"top", "inside", ""}} {
		for _, id := range ids {
			of.goesOn(id)
		}
	}
	byDocument.keeps("inside", "")
	whole.keeps()

	l.onlySources(byDocument.sources["inside"], byDocument.sources[""], byFolder.sources["top"], byFolder.sources[""],
		kept.sources["top"], kept.sources["inside"], kept.sources[""])
	var judgments int
	require.NoError(t, l.rows().QueryRow(t.Context(), `SELECT count(*) FROM judgments`).Scan(&judgments))
	require.Equal(t, 3+3+5, judgments)
	byDocument.keeps("inside", "")
	byFolder.keeps("top", "")
	kept.keeps("top", "inside", "")
	l.atRest()
}

// What is about a deleted id afterwards is about something new, and is not removed with
// what had the id before.
func TestRemoval_TheIdNamesSomethingNew(t *testing.T) {
	l := newLab(t)
	api := l.start("api") // no worker: nothing is removed yet
	s := l.begin(api)
	s.annotate(made("d", annotated("former", wrote("ann", "former"))))
	flow := s.define([]client.Node{client.Human("review", "ann"), client.Mock("end")}, client.Both("review", "end")...)
	former := s.dispatch(flow, at("acme", "d"))
	s.items(deleteDocuments, theseDocuments("d"))
	s.annotate(made("d", annotated("second", wrote("ann", "second"))))
	second := s.dispatch(flow, at("acme", "d"))
	require.Equal(t, []string{"second"}, s.recorded(inAcme()))
	s.items(deleteOrganizations, map[string]any{"organizationIds": []string{"acme"}})
	require.Empty(t, s.recorded(nil))
	s.annotate(made("d", annotated("third", wrote("ann", "third"))))
	third := s.dispatch(flow, at("acme", "d"))

	s = s.through(l.start("serve").URL)
	l.jobsEnd()
	for _, r := range []*run{former, second, third} {
		r = r.through(s)
		r.waitsAt("review")
		r.decide("review", "ann", "approve", "of "+r.id)
		r.ends("completed")
	}
	require.ElementsMatch(t, []string{"third", "of " + third.id}, s.recorded(inAcme(map[string]any{"documentId": "d"})))
	require.Len(t, s.recorded(nil), 2)
	l.atRest()
}

// Judgments of who leaves an organization are left out at once, though nobody removes them
// yet, and go when somebody does; what they judge when they are back stays.
func TestUsersDelete_JudgmentsAreLeftOutAtOnceAndRemovedLater(t *testing.T) {
	l := newLab(t)
	s := l.begin(l.start("api")) // no worker: nothing is removed yet
	rows := l.rows()
	stored := func() (count int) {
		require.NoError(t, rows.QueryRow(t.Context(), `SELECT count(*) FROM judgments WHERE workspace_id = $1`, s.workspace.ID).Scan(&count))
		return count
	}
	judged := func(organizationID, userID, reason string) {
		s.record(about(userID, "approve", "the terms", because(reason), map[string]any{"organizationId": organizationID}))
	}
	s.items("users/add", map[string]any{"organizationId": "acme", "users": users("ann", "bob")})
	judged("acme", "ann", "former")
	judged("acme", "bob", "other")
	judged("apex", "ann", "elsewhere")
	require.True(t, s.items("users/delete", inAcme(map[string]any{"userIds": []string{"ann"}}))["ann"].Success)
	require.Equal(t, []string{"other"}, s.recorded(inAcme()))
	require.Equal(t, []string{"elsewhere", "other"}, s.recorded(nil))
	require.Equal(t, 3, stored())
	s.items("users/add", inAcme(map[string]any{"users": users("ann")}))
	judged("acme", "ann", "back")
	require.Equal(t, []string{"back", "other"}, s.recorded(inAcme()))

	s = s.through(l.start("serve").URL)
	l.jobsEnd()
	require.Equal(t, 3, stored())
	require.Equal(t, []string{"back", "elsewhere", "other"}, s.recorded(nil))
	l.atRest()
}
