package collaboration

import (
	"net/http"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

// removable is what stands in an organization: a document at the top and one in a
// folder in a folder, each with a remark, a decision, a source, a definition and an
// execution that goes on.
type removable struct {
	*kit.Env
	organizationID string
	// sources are those scoped to "top", to "inside" and, by "", to the organization.
	sources map[string]string
	runs    map[string]*kit.Run
}

// removableIn fills an organization.
func removableIn(env *kit.Env, organizationID string) *removable {
	env.T.Helper()
	in := func(data map[string]any) map[string]any {
		data["organizationId"] = organizationID
		return data
	}
	kit.Items(env, client.AddFolders, in(map[string]any{"createOrganization": true, "folders": []any{kit.Folder("outer"), kit.Folder("inner in outer")}}))
	for id, folderID := range map[string]string{"top": "root", "inside": "inner"} {
		kit.Items(env, client.AddDocuments, in(map[string]any{"folderId": folderID, "documents": []any{map[string]any{"documentId": id}}}))
	}
	of := &removable{Env: env, organizationID: organizationID, sources: map[string]string{}, runs: map[string]*kit.Run{}}
	flow := kit.Define(env, []redline.NodeInput{client.Human("review", "ann"), client.Human("again", "ann"), client.Mock("end")},
		append(client.Both("review", "again"), client.Both("again", "end")...)...)
	for _, id := range []string{"top", "inside", ""} {
		of.sources[id] = kit.IngestAbout(env, organizationID, id, kit.HousePaper)
		of.runs[id] = kit.Dispatch(env, flow, kit.At(organizationID, id))
		of.runs[id].WaitsAt("review")
		of.runs[id].Decide("review", "ann", "approve", "decided "+id)
		of.runs[id].WaitsAt("again")
	}
	for _, id := range []string{"top", "inside"} {
		kit.Annotate(env, in(map[string]any{"documentId": id, "commentAnnotations": []any{kit.Annotated(kit.Unique("note"), kit.Wrote("ann", "remark "+id))}}))
	}
	for _, source := range of.sources {
		kit.BroughtIn(env, source, "completed")
	}
	return of
}

// keeps proves which judgments and sources are there, by the ids of their documents;
// "" stands for those of the organization alone.
func (of *removable) keeps(ids ...string) {
	of.T.Helper()
	var reasons, sources, gone []string
	for id, source := range of.sources {
		if !slices.Contains(ids, id) {
			gone = append(gone, source)
			if id != "" {
				require.Empty(of.T, kit.RecordedReasons(of.Env, map[string]any{"organizationId": of.organizationID, "documentId": id}))
			}
			continue
		}
		sources = append(sources, source)
		reasons = append(reasons, "decided "+id)
		if id != "" {
			reasons = append(reasons, "remark "+id)
		}
	}
	require.ElementsMatch(of.T, reasons, kit.RecordedReasons(of.Env, map[string]any{"organizationId": of.organizationID}))
	if len(gone) > 0 {
		kit.WithoutSources(of.Env, gone...)
	}
	for _, source := range sources {
		require.Len(of.T, kit.Search(of.Env, "bills", map[string]any{"sourceId": source}).Results, 2)
	}
}

// goesOn proves that an execution is read with the ids that it had, and ends.
func (of *removable) goesOn(documentID string) {
	of.T.Helper()
	r := of.runs[documentID]
	r.Decide("again", "ann", "approve", "late "+documentID)
	view := r.Ends("completed")
	require.Equal(of.T, of.organizationID, *view.OrganizationID)
	query := map[string]any{"organizationId": of.organizationID, "executionId": r.ID, "status": "completed", "nodeType": "human"}
	if documentID != "" {
		require.Equal(of.T, []string{documentID, documentID, documentID, documentID}, about(r))
		query["documentId"] = documentID
	}
	require.Len(of.T, kit.EveryPage[redline.Step](of.Env, client.ListSteps, query), 2)
}

// Judgments and sources of what is deleted are left out at once, one kind of thing
// after the other, and nothing of them is left in the end. Executions go on.
func TestRemoval_JudgmentsAndSourcesGoAndExecutionsGoOn(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	env := isolated.NewWorkspace(isolated.StartProcess("serve"))
	byDocument, byFolder, whole, kept := removableIn(env, "by-document"), removableIn(env, "by-folder"), removableIn(env, "whole"), removableIn(env, "kept")
	files := kit.Status(env, whole.sources["inside"])
	byDocument.keeps("top", "inside", "")

	require.True(t, kit.Items(env, client.DeleteDocuments, map[string]any{"organizationId": "by-document", "documentIds": []string{"top"}})["top"].Success)
	byDocument.keeps("inside", "")
	env.Call(client.DeleteFolder, map[string]any{"organizationId": "by-folder", "folderId": "outer"}, nil)
	byFolder.keeps("top", "")
	require.True(t, kit.Items(env, client.DeleteOrganizations, map[string]any{"organizationIds": []string{"whole"}})["whole"].Success)
	whole.keeps()
	kept.keeps("top", "inside", "")
	for _, url := range []string{files.OriginalDownloadURL, files.CanonicalMdDownloadURL} {
		require.Equal(t, http.StatusNotFound, kit.Ask(t, http.MethodGet, url, "", nil).HTTP)
	}
	for of, ids := range map[*removable][]string{byDocument: {"top"}, byFolder: {"inside"}, whole: {"top", "inside", ""}} {
		for _, id := range ids {
			of.goesOn(id)
		}
	}
	byDocument.keeps("inside", "")
	whole.keeps()

	isolated.OnlySources(byDocument.sources["inside"], byDocument.sources[""], byFolder.sources["top"], byFolder.sources[""],
		kept.sources["top"], kept.sources["inside"], kept.sources[""])
	var judgments int
	require.NoError(t, isolated.DB().QueryRow(t.Context(), `SELECT count(*) FROM judgments`).Scan(&judgments))
	require.Equal(t, 3+3+5, judgments)
	byDocument.keeps("inside", "")
	byFolder.keeps("top", "")
	kept.keeps("top", "inside", "")
	isolated.AtRest()
}

// What is about a deleted id afterwards is about something new, and is not removed with
// what had the id before.
func TestRemoval_TheIdNamesSomethingNew(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	api := isolated.StartProcess("api") // no worker: nothing is removed yet
	env := isolated.NewWorkspace(api)
	kit.Annotate(env, kit.Made("d", kit.Annotated("former", kit.Wrote("ann", "former"))))
	flow := kit.Define(env, []redline.NodeInput{client.Human("review", "ann"), client.Mock("end")}, client.Both("review", "end")...)
	former := kit.Dispatch(env, flow, kit.At("acme", "d"))
	kit.Items(env, client.DeleteDocuments, kit.TheseDocuments("d"))
	kit.Annotate(env, kit.Made("d", kit.Annotated("second", kit.Wrote("ann", "second"))))
	second := kit.Dispatch(env, flow, kit.At("acme", "d"))
	require.Equal(t, []string{"second"}, kit.RecordedReasons(env, kit.InAcme()))
	kit.Items(env, client.DeleteOrganizations, map[string]any{"organizationIds": []string{"acme"}})
	require.Empty(t, kit.RecordedReasons(env, nil))
	kit.Annotate(env, kit.Made("d", kit.Annotated("third", kit.Wrote("ann", "third"))))
	third := kit.Dispatch(env, flow, kit.At("acme", "d"))

	env = env.Through(isolated.StartProcess("serve").URL)
	jobsEnd(isolated)
	for _, r := range []*kit.Run{former, second, third} {
		r = r.Through(env)
		r.WaitsAt("review")
		r.Decide("review", "ann", "approve", "of "+r.ID)
		r.Ends("completed")
	}
	require.ElementsMatch(t, []string{"third", "of " + third.ID}, kit.RecordedReasons(env, kit.InAcme(map[string]any{"documentId": "d"})))
	require.Len(t, kit.RecordedReasons(env, nil), 2)
	isolated.AtRest()
}

// Judgments of who leaves an organization are left out at once, though nobody removes them
// yet, and go when somebody does; what they judge when they are back stays.
func TestUsersDelete_JudgmentsAreLeftOutAtOnceAndRemovedLater(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	env := isolated.NewWorkspace(isolated.StartProcess("api")) // no worker: nothing is removed yet
	rows := isolated.DB()
	stored := func() (count int) {
		require.NoError(t, rows.QueryRow(t.Context(), `SELECT count(*) FROM judgments WHERE workspace_id = $1`, env.Workspace.ID).Scan(&count))
		return count
	}
	judged := func(organizationID, userID, reason string) {
		kit.Record(env, kit.About(userID, "approve", "the terms", kit.Because(reason), map[string]any{"organizationId": organizationID}))
	}
	kit.Items(env, client.AddUsers, map[string]any{"organizationId": "acme", "users": kit.Users("ann", "bob")})
	judged("acme", "ann", "former")
	judged("acme", "bob", "other")
	judged("apex", "ann", "elsewhere")
	require.True(t, kit.Items(env, client.DeleteUsers, kit.InAcme(map[string]any{"userIds": []string{"ann"}}))["ann"].Success)
	require.Equal(t, []string{"other"}, kit.RecordedReasons(env, kit.InAcme()))
	require.Equal(t, []string{"elsewhere", "other"}, kit.RecordedReasons(env, nil))
	require.Equal(t, 3, stored())
	kit.Items(env, client.AddUsers, kit.InAcme(map[string]any{"users": kit.Users("ann")}))
	judged("acme", "ann", "back")
	require.Equal(t, []string{"back", "other"}, kit.RecordedReasons(env, kit.InAcme()))

	env = env.Through(isolated.StartProcess("serve").URL)
	jobsEnd(isolated)
	require.Equal(t, 3, stored())
	require.Equal(t, []string{"back", "elsewhere", "other"}, kit.RecordedReasons(env, nil))
	isolated.AtRest()
}
