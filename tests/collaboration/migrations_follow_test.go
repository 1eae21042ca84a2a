package collaboration

import (
	"encoding/json"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/receiver"
)

// underOne is what is found about a document at its present id, of two ids, and proves
// that nothing is found at the other.
func underOne[T any](t *testing.T, of func(documentID string) []T, at, other string) []T {
	t.Helper()
	require.Empty(t, of(other), "%s is not the id of anything", other)
	found := of(at)
	require.NotEmpty(t, found, "%s is the id", at)
	return found
}

func TestMigrate_Follow_NameFolderAccessAndGrants(t *testing.T) {
	env := kit.NewWorkspace(t)
	own := json.RawMessage(`{"n":12345678901234567890,"f":0.1000}`)
	kit.Items(env, client.AddDocuments, kit.Document("old", map[string]any{"documentName": "Spring issue", "accessType": "restricted", "own": own}))
	kit.Folders(env, "drafts")
	env.Call(client.MoveDocuments, kit.Move("drafts", "old"), nil)
	kit.Grant(env, "ann", kit.Resource("document", "old"))
	ends := time.Now().Add(time.Hour).UnixMilli()
	kit.Grant(env, "bob", kit.Resource("document", "old", kit.Role("viewer"), map[string]any{"expiresAt": ends}))
	kit.Grant(env, "eve", kit.Resource("organization", "acme"))
	things := func(id string) []kit.ThingView {
		return kit.Paged(env, client.GetDocuments, kit.TheseDocuments(id)).Data
	}
	granted := func(id string) []redline.Permission {
		var found []redline.Permission
		for _, user := range []string{"ann", "bob", "eve"} {
			found = append(found, kit.Permitted(env, user, nil, []string{id}).Documents[id])
		}
		return found
	}
	before, grants := underOne(t, things, "old", "new")[0], granted("old")
	require.Equal(t, []string{"editor restricted", "viewer restricted", "permission_denied restricted"},
		[]string{kit.PermissionText(grants[0]), kit.PermissionText(grants[1]), kit.PermissionText(grants[2])})

	kit.Follows(env, "old", "new")
	after := underOne(t, things, "new", "old")[0]
	before.ID = "new"
	require.Equal(t, before, after, "all but the id stays, times too")
	require.Equal(t, []any{"Spring issue", "drafts", "restricted", string(own)}, []any{after.DocumentName, *after.FolderID, *after.AccessType, string(after.Own)})
	require.Equal(t, []string{"new"}, kit.In(env, "drafts"))
	require.Equal(t, grants, granted("new"))
	require.Equal(t, ends, *grants[1].ExpiresAt)
	for _, none := range granted("old") {
		require.Equal(t, redline.Permission{ErrorCode: "does_not_exist"}, none)
	}
	require.Equal(t, []bool{true, false, false}, []bool{kit.MayWrite(env, "ann", "new"), kit.MayWrite(env, "bob", "new"), kit.MayWrite(env, "eve", "new")})
	require.True(t, kit.MayWrite(env, "eve", "old"), "the old id is free: who asks makes a new document, and nothing of the former holds for it")
	require.Equal(t, []any{"old", true}, []any{kit.OneDocument(env, "old").DocumentName, kit.OneDocument(env, "old").FolderID == nil})
}

// notedRows are the rows beside the annotations of a document that no operation reads yet:
// of notifications, their recipients, read marks and activities.
func notedRows(env *kit.Env, documentID string) (counts [4]int) {
	env.T.Helper()
	const about = `annotations a JOIN documents d ON d.key = a.document_key AND d.document_id = $1 AND d.workspace_id = $2`
	require.NoError(env.T, env.DB().QueryRow(env.Ctx, `
SELECT (SELECT count(*) FROM notifications n JOIN `+about+` ON a.key = n.annotation_key),
       (SELECT count(*) FROM notification_recipients r JOIN notifications n ON n.id = r.notification_id JOIN `+about+` ON a.key = n.annotation_key),
       (SELECT count(*) FROM read_marks m JOIN `+about+` ON a.key = m.annotation_key),
       (SELECT count(*) FROM activities v JOIN documents d ON d.key = v.document_key AND d.document_id = $1 AND d.workspace_id = $2)`, documentID, env.Workspace.ID).
		Scan(&counts[0], &counts[1], &counts[2], &counts[3]))
	return counts
}

// documentsNamed returns for each message about a comment which document it names.
func documentsNamed(t *testing.T, messages []receiver.Message) (documentIDs []string) {
	t.Helper()
	for _, m := range messages {
		var data struct {
			Metadata struct{ Document struct{ DocumentID string } }
		}
		require.NoError(t, json.Unmarshal(m.Data, &data))
		documentIDs = append(documentIDs, data.Metadata.Document.DocumentID)
	}
	return documentIDs
}

func TestMigrate_Follow_AnnotationsMarksNotificationsAndActivities(t *testing.T) {
	env, isolated := kit.NewVariantWorkspace(t, kit.TwoProcesses)
	kit.EndpointAt(kit.Hooked(env), "/told", map[string]any{"filterTypes": []string{"comment_annotation.add"}})
	kept := map[string]any{"triggerActivities": true}
	kit.Annotate(env, kit.Made("old",
		kit.Annotated("plain", kit.Wrote("ann", "Which year?"), kit.Wrote("bob", "This one.")),
		kit.Annotated("loud", kit.Wrote("bob", "Look, {{ann}} and {{eve}}.", kit.Loud, kept)),
	))
	annotations := func(id string) []redline.Annotation {
		return kit.Older[[]redline.Annotation](env, kit.GetAnnotations, kit.Doc(id)).Data
	}
	comments := func(id string) []redline.ThreadComment {
		return kit.Older[[]redline.ThreadComment](env, kit.GetComments, kit.Doc(id, map[string]any{"annotationId": "plain"})).Data
	}
	before, thread := underOne(t, annotations, "old", "new"), underOne(t, comments, "old", "new")
	counts := map[string]map[string][2]int{}
	for _, user := range []string{"ann", "bob", "eve"} {
		counts[user] = kit.Counts(env, user, "old", "new")
	}
	require.Equal(t, map[string][2]int{"old": {2, 2}, "new": {}}, counts["ann"])
	require.Equal(t, map[string][2]int{"old": {2, 0}, "new": {}}, counts["bob"], "he wrote last in both")
	noted := notedRows(env, "old")
	require.Equal(t, [4]int{1, 2, 3, 1}, noted)
	require.Equal(t, []string{"old"}, documentsNamed(t, kit.Heard(env, "/told", 1)))

	kit.Follows(env, "old", "new")
	require.Equal(t, before, underOne(t, annotations, "new", "old"))
	require.Equal(t, thread, underOne(t, comments, "new", "old"))
	slots := kit.Older[[]*redline.Annotation](env, kit.GetAnnotations, kit.Doc("old", map[string]any{"annotationIds": []string{"plain"}})).Data
	require.Equal(t, []*redline.Annotation{nil}, slots)
	for user, then := range counts {
		require.Equal(t, map[string][2]int{"new": then["old"], "old": then["new"]}, kit.Counts(env, user, "old", "new"), user)
	}
	require.Equal(t, noted, notedRows(env, "new"))
	require.Zero(t, notedRows(env, "old"))
	kit.Annotate(env, kit.Doc("new", map[string]any{"commentAnnotations": []any{kit.Annotated("later", kit.Wrote("bob", "After.", kit.Loud))}}))
	require.Equal(t, []string{"old", "new"}, documentsNamed(t, kit.Heard(env, "/told", 2)), "a payload keeps the id of its time")
	env.RefusedAs("ALREADY_EXISTS", client.AddAnnotations, kit.Made("old", kit.Annotated("plain", kit.Wrote("ann", "a"))))
	isolated.AtRest()
}

func TestMigrate_Follow_Knowledge(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	env := isolated.NewWorkspace(isolated.StartProcess("serve"))
	kit.Items(env, client.AddDocuments, kit.Documents("old", "beside"))
	scoped := func(content, documentID string) string {
		data := kit.IngestData(content)
		data["organizationId"], data["documentId"] = "acme", documentID
		return kit.IngestAs(env, data)
	}
	source, kept := scoped(kit.HousePaper, "old"), scoped("# Garden\n\nThe roses are watered every morning.\n", "beside")
	before := kit.BroughtIn(env, source, "completed")
	kit.BroughtIn(env, kept, "completed")
	asked := map[string]any{"includeRules": true}
	found := kit.Search(env, "When are bills due?", asked)
	kit.Follows(env, "old", "new")
	after := kit.Status(env, source)
	require.Equal(t, http.StatusOK, kit.Ask(t, http.MethodGet, after.OriginalDownloadURL, "", nil).HTTP)
	for _, of := range []*redline.IngestStatus{&before, &after} {
		of.OriginalDownloadURL, of.CanonicalMdDownloadURL = "", ""
	}
	require.Equal(t, before, after)
	require.Equal(t, found, kit.Search(env, "When are bills due?", asked))

	require.Equal(t, redline.ItemCodeNotFound, kit.Items(env, client.DeleteDocuments, kit.TheseDocuments("old"))["old"].Code)
	kit.Items(env, client.AddDocuments, kit.Documents("old"))
	kit.Items(env, client.DeleteDocuments, kit.TheseDocuments("old"))
	require.Equal(t, redline.IngestStatusStatusCompleted, kit.Status(env, source).Status, "another document had the old id")
	late := scoped(kit.Manual(2), "new")
	require.True(t, kit.Items(env, client.DeleteDocuments, kit.TheseDocuments("new"))["new"].Success)
	kit.WithoutSources(env, source, late)
	isolated.OnlySources(kept)
	require.Equal(t, redline.IngestStatusStatusCompleted, kit.Status(env, kept).Status)
	isolated.AtRest()
}

// reasonsAt is what the judgments about a document say, oldest first.
func reasonsAt(env *kit.Env, documentID string) (reasons []string) {
	env.T.Helper()
	for _, judgment := range kit.Judgments(env, kit.InAcme(map[string]any{"documentId": documentID})).Results {
		require.Equal(env.T, documentID, *judgment.DocumentID)
		reasons = append([]string{judgment.Reasoning}, reasons...)
	}
	return reasons
}

// waitsAbout are the executions whose people are waited for because of a document.
func waitsAbout(env *kit.Env, documentID string) (executions []string) {
	env.T.Helper()
	for _, step := range kit.EveryPage[redline.ListedStep](env, client.ListSteps, map[string]any{"organizationId": "acme", "documentId": documentID}) {
		require.Equal(env.T, documentID, *step.Metadata.DocumentID)
		executions = append(executions, step.ExecutionID)
	}
	return executions
}

// about is which document an execution and its steps say that they are about.
func about(r *kit.Run) (documentIDs []string) {
	r.S.T.Helper()
	view := r.View()
	documentIDs = []string{*view.DocumentID}
	for _, step := range view.Steps {
		documentIDs = append(documentIDs, *step.Metadata.DocumentID)
	}
	return documentIDs
}

// called returns which document each call of a webhook step at a path names.
func called(env *kit.Env, path string, n int) (documentIDs []string) {
	env.T.Helper()
	for _, request := range env.Arrived(path, receiver.Count(n)) {
		var body struct{ DocumentID string }
		require.NoError(env.T, json.Unmarshal(request.Body, &body))
		documentIDs = append(documentIDs, body.DocumentID)
	}
	return documentIDs
}

// callingFlow is a definition in which a webhook step goes before two decisions of ann,
// and another one after them.
func callingFlow(env *kit.Env) string {
	env.T.Helper()
	edges := append(client.Both("first", "second"), client.Both("second", "after")...)
	return kit.Define(env, []redline.NodeInput{
		client.Hook("before", env.Receiver().URL("/before")), client.Human("first", "ann"),
		client.Human("second", "ann"), client.Hook("after", env.Receiver().URL("/after")),
	}, append(edges, client.Always("before", "first"))...)
}

func TestMigrate_Follow_ExecutionsAndJudgments(t *testing.T) {
	env := kit.NewWorkspace(t)
	kit.Items(env, client.AddDocuments, kit.Documents("old"))
	flow := callingFlow(env)
	early := kit.Dispatch(env, flow, kit.At("acme", "new")) // there is no document of that id yet
	early.WaitsAt("first")
	early.Decide("first", "ann", "approve", "too early")
	r := kit.Dispatch(env, flow, kit.At("acme", "old"))
	r.WaitsAt("first")
	r.Decide("first", "ann", "approve", "before")
	r.WaitsAt("second")
	kit.Annotate(env, kit.Doc("old", map[string]any{"commentAnnotations": []any{kit.Annotated("note", kit.Wrote("bob", "a remark"))}}))
	require.Equal(t, []string{"old", "old", "old", "old"}, about(r))
	require.Equal(t, []string{"before", "a remark"}, reasonsAt(env, "old"))
	require.Equal(t, []string{r.ID}, waitsAbout(env, "old"))
	require.Equal(t, []string{"new", "old"}, called(env, "/before", 2))

	kit.Follows(env, "old", "new")
	require.Equal(t, []string{"new", "new", "new", "new"}, about(r))
	require.Empty(t, waitsAbout(env, "old"))
	require.ElementsMatch(t, []string{r.ID, early.ID}, waitsAbout(env, "new"))
	require.Empty(t, reasonsAt(env, "old"))
	require.Equal(t, []string{"too early", "before", "a remark"}, reasonsAt(env, "new"))
	early.WaitsAt("second")
	for _, one := range []*kit.Run{r, early} {
		one.Decide("second", "ann", "approve", "after")
		one.Ends("completed")
		require.Equal(t, []string{"new", "new", "new", "new", "new"}, about(one))
	}
	require.Equal(t, []string{"new", "new"}, called(env, "/after", 2))
	require.Equal(t, []string{"too early", "before", "a remark", "after", "after"}, reasonsAt(env, "new"))
	for _, item := range kit.EveryPage[redline.Execution](env, client.ListExecutions, nil) {
		require.Equal(t, "new", *item.DocumentID)
	}
	again := kit.Dispatch(env, flow, kit.At("acme", "old"))
	again.WaitsAt("first")
	require.Equal(t, []string{again.ID}, waitsAbout(env, "old"), "the old id names something new")

	kit.Items(env, client.DeleteDocuments, kit.TheseDocuments("new"))
	require.Empty(t, reasonsAt(env, "new"), "also what was about the id before the document had it")
	require.Empty(t, kit.RecordedReasons(env, nil))
	require.Equal(t, []string{"new", "new"}, []string{*r.View().DocumentID, *early.View().DocumentID})
}

func TestMigrate_Follow_Definitions(t *testing.T) {
	env := kit.NewWorkspace(t)
	kit.Items(env, client.AddDocuments, kit.Documents("old"))
	of := func(documentID string) map[string]any {
		return map[string]any{"scope": map[string]any{"level": "document", "organizationId": "acme", "documentId": documentID}}
	}
	follows, early := kit.Unique("definition"), kit.Unique("definition")
	kit.Created(env, follows, of("old"))
	kit.Created(env, early, of("new")) // for an id that no document has yet
	second := of("old")
	second["ifVersion"] = 1
	env.Call(client.UpdateDefinition, kit.Simple(follows, second), nil)
	listed := func(documentID string) (ids []string) {
		for _, item := range kit.EveryPage[kit.View](env, client.ListDefinitions, kit.InAcme(map[string]any{"documentId": documentID})) {
			require.Equal(t, of(documentID)["scope"], item["scope"])
			ids = append(ids, item["definitionId"].(string))
		}
		return ids
	}
	scopedTo := func(documentID string) {
		t.Helper()
		newest := map[string]any{"definitionId": follows}
		reads := []map[string]any{newest, {"definitionId": follows, "version": 1}, {"definitionId": follows, "version": 2}}
		for i, operation := range []string{client.GetDefinition, client.GetVersion, client.GetVersion} {
			var read kit.View
			env.Call(operation, reads[i], &read)
			require.Equal(t, of(documentID)["scope"], read["scope"], "%v", reads[i])
		}
	}
	scopedTo("old")
	require.Equal(t, []string{follows}, listed("old"))
	kit.Follows(env, "old", "new")
	scopedTo("new")
	require.Empty(t, listed("old"))
	require.ElementsMatch(t, []string{follows, early}, listed("new"))
	for _, id := range []string{follows, early} {
		kit.Dispatch(env, id, kit.At("acme", "new")).Ends("completed")
		env.RefusedAs("INVALID_ARGUMENT", client.StartExecution, redline.DispatchRequest{DefinitionID: id, OrganizationID: new("acme"), DocumentID: new("old")})
	}
}

// Through a migration a list of the organization's judgments shows each once and all
// under one id, and a list of either id shows all of them or none, and so does a search,
// whether of what is recent or by meaning.
func TestMigrate_Follow_JudgmentsAllOrNothing(t *testing.T) {
	env := kit.NewWorkspace(t)
	const judgments = 50
	kit.Fill(env, "d0", judgments)
	var over atomic.Bool
	var readers sync.WaitGroup
	read := func(data map[string]any) redline.JudgmentList {
		data["limit"] = 100
		page, err := client.Call[redline.JudgmentList](env.Ctx, env.Keyed, client.QueryJudgments, data)
		kit.NoError(t, err)
		assert.Len(t, page.Results, int(page.Total))
		return page
	}
	search := func(documentID string, more map[string]any) int {
		found, err := client.Call[redline.JudgmentsFound](env.Ctx, env.Keyed, client.SearchJudgments,
			kit.InAcme(map[string]any{"query": "A remark.", "documentId": documentID, "limit": judgments}, more))
		kit.NoError(t, err)
		records := map[string]bool{}
		for _, id := range kit.JudgmentIDs(found) {
			records[id] = true
		}
		assert.Len(t, records, len(found.Results))
		return len(records)
	}
	kit.Remembers(env)
	kit.RequireEventually(t, "all are found by meaning", func() bool { return search("d0", map[string]any{}) == judgments })
	for _, ids := range [][]string{{"d0", "d1"}, {"d1", "d2"}} {
		readers.Go(func() {
			for !over.Load() {
				records, documentIDs := map[string]bool{}, map[string]bool{}
				for _, found := range read(kit.InAcme()).Results {
					records[found.RecordID], documentIDs[*found.DocumentID] = true, true
				}
				assert.Len(t, records, judgments)
				assert.Len(t, documentIDs, 1)
				for _, id := range ids {
					assert.Contains(t, []int{0, judgments}, int(read(kit.InAcme(map[string]any{"documentId": id})).Total))
					assert.Contains(t, []int{0, judgments}, search(id, map[string]any{"recencyDays": 1}))
					assert.Contains(t, []int{0, judgments}, search(id, map[string]any{}))
				}
			}
		})
	}
	kit.Follows(env, "d0", "d1")
	kit.Follows(env, "d1", "d2")
	over.Store(true)
	readers.Wait()
	require.Len(t, reasonsAt(env, "d2"), 20, "a page")
	require.Empty(t, reasonsAt(env, "d1"))
}
