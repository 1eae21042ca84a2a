package tests

import (
	"encoding/json"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
	"github.com/redline-svc/redline/tests/receiver"
)

// follows migrates a document and waits until that is done.
func (s *scene) follows(from, to string) {
	s.t.Helper()
	require.Equal(s.t, "completed", s.migrated(s.migrates(from, to)).Status)
}

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
	s := begin(t)
	own := json.RawMessage(`{"n":12345678901234567890,"f":0.1000}`)
	s.items(addDocuments, document("old", map[string]any{"documentName": "Spring issue", "accessType": "restricted", "own": own}))
	s.folders("drafts")
	s.call(moveDocuments, move("drafts", "old"), nil)
	s.grants("ann", resource("document", "old"))
	ends := time.Now().Add(time.Hour).UnixMilli()
	s.grants("bob", resource("document", "old", role("viewer"), map[string]any{"expiresAt": ends}))
	s.grants("eve", resource("organization", "acme"))
	things := func(id string) []thingView { return s.paged(getDocuments, theseDocuments(id)).Data }
	granted := func(id string) []permission {
		var found []permission
		for _, user := range []string{"ann", "bob", "eve"} {
			found = append(found, s.permitted(user, nil, []string{id}).Documents[id])
		}
		return found
	}
	before, grants := underOne(t, things, "old", "new")[0], granted("old")
	require.Equal(t, []string{"editor restricted", "viewer restricted", "permission_denied restricted"},
		[]string{grants[0].String(), grants[1].String(), grants[2].String()})

	s.follows("old", "new")
	after := underOne(t, things, "new", "old")[0]
	before.ID = "new"
	require.Equal(t, before, after, "all but the id stays, times too")
	require.Equal(t, []any{"Spring issue", "drafts", "restricted", string(own)}, []any{after.DocumentName, *after.FolderID, *after.AccessType, string(after.Own)})
	require.Equal(t, []string{"new"}, s.in("drafts"))
	require.Equal(t, grants, granted("new"))
	require.Equal(t, ends, *grants[1].ExpiresAt)
	for _, none := range granted("old") {
		require.Equal(t, permission{ErrorCode: "does_not_exist"}, none)
	}
	require.Equal(t, []bool{true, false, false}, []bool{s.mayWrite("ann", "new"), s.mayWrite("bob", "new"), s.mayWrite("eve", "new")})
	require.True(t, s.mayWrite("eve", "old"), "the old id is free: who asks makes a new document, and nothing of the former holds for it")
	require.Equal(t, []any{"old", true}, []any{s.oneDocument("old").DocumentName, s.oneDocument("old").FolderID == nil})
}

// noted are the rows beside the annotations of a document that no operation reads yet:
// of notifications, their recipients, read marks and activities.
func (s *scene) noted(documentID string) (counts [4]int) {
	s.t.Helper()
	const about = `annotations a JOIN documents d ON d.key = a.document_key AND d.document_id = $1 AND d.workspace_id = $2`
	require.NoError(s.t, s.rows().QueryRow(s.ctx, `
SELECT (SELECT count(*) FROM notifications n JOIN `+about+` ON a.key = n.annotation_key),
       (SELECT count(*) FROM notification_recipients r JOIN notifications n ON n.id = r.notification_id JOIN `+about+` ON a.key = n.annotation_key),
       (SELECT count(*) FROM read_marks m JOIN `+about+` ON a.key = m.annotation_key),
       (SELECT count(*) FROM activities v JOIN documents d ON d.key = v.document_key AND d.document_id = $1 AND d.workspace_id = $2)`, documentID, s.workspace.ID).
		Scan(&counts[0], &counts[1], &counts[2], &counts[3]))
	return counts
}

// documentsNamed gives for each message about a comment which document it names.
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
	s, l := beginAt(t, twoProcesses)
	s.hooked().endpointAt("/told", map[string]any{"filterTypes": []string{"comment_annotation.add"}})
	kept := map[string]any{"triggerActivities": true}
	s.annotate(made("old",
		annotated("plain", wrote("ann", "Which year?"), wrote("bob", "This one.")),
		annotated("loud", wrote("bob", "Look, {{ann}} and {{eve}}.", loud, kept)),
	))
	annotations := func(id string) []annotationView { return older[[]annotationView](s, getAnnotations, doc(id)).Data }
	comments := func(id string) []commentView {
		return older[[]commentView](s, getComments, doc(id, map[string]any{"annotationId": "plain"})).Data
	}
	before, thread := underOne(t, annotations, "old", "new"), underOne(t, comments, "old", "new")
	counts := map[string]map[string][2]int{}
	for _, user := range []string{"ann", "bob", "eve"} {
		counts[user] = s.counts(user, "old", "new")
	}
	require.Equal(t, map[string][2]int{"old": {2, 2}, "new": {}}, counts["ann"])
	require.Equal(t, map[string][2]int{"old": {2, 0}, "new": {}}, counts["bob"], "he wrote last in both")
	noted := s.noted("old")
	require.Equal(t, [4]int{1, 2, 3, 1}, noted)
	require.Equal(t, []string{"old"}, documentsNamed(t, s.heard("/told", 1)))

	s.follows("old", "new")
	require.Equal(t, before, underOne(t, annotations, "new", "old"))
	require.Equal(t, thread, underOne(t, comments, "new", "old"))
	slots := older[[]*annotationView](s, getAnnotations, doc("old", map[string]any{"annotationIds": []string{"plain"}})).Data
	require.Equal(t, []*annotationView{nil}, slots)
	for user, then := range counts {
		require.Equal(t, map[string][2]int{"new": then["old"], "old": then["new"]}, s.counts(user, "old", "new"), user)
	}
	require.Equal(t, noted, s.noted("new"))
	require.Zero(t, s.noted("old"))
	s.annotate(doc("new", map[string]any{"commentAnnotations": []any{annotated("later", wrote("bob", "After.", loud))}}))
	require.Equal(t, []string{"old", "new"}, documentsNamed(t, s.heard("/told", 2)), "a payload keeps the id of its time")
	s.refusedAs("ALREADY_EXISTS", addAnnotations, made("old", annotated("plain", wrote("ann", "a"))))
	l.atRest()
}

func TestMigrate_Follow_Knowledge(t *testing.T) {
	l := newLab(t)
	s := l.begin(l.start("serve"))
	s.items(addDocuments, documents("old", "beside"))
	scoped := func(content, documentID string) string {
		data := ingestData(content)
		data["organizationId"], data["documentId"] = "acme", documentID
		return s.ingestAs(data)
	}
	source, kept := scoped(housePaper, "old"), scoped("# Garden\n\nThe roses are watered every morning.\n", "beside")
	before := s.broughtIn(source, "completed")
	s.broughtIn(kept, "completed")
	asked := map[string]any{"includeRules": true}
	found := s.search("When are bills due?", asked)
	s.follows("old", "new")
	after := s.status(source)
	require.Equal(t, http.StatusOK, ask(t, http.MethodGet, after.OriginalDownloadURL, "", nil).HTTP)
	for _, of := range []*ingestStatus{&before, &after} {
		of.OriginalDownloadURL, of.CanonicalMdDownloadURL = "", ""
	}
	require.Equal(t, before, after)
	require.Equal(t, found, s.search("When are bills due?", asked))

	require.Equal(t, "not-found", s.items(deleteDocuments, theseDocuments("old"))["old"].Code)
	s.items(addDocuments, documents("old"))
	s.items(deleteDocuments, theseDocuments("old"))
	require.Equal(t, "completed", s.status(source).Status, "another document had the old id")
	late := scoped(manual(2), "new")
	require.True(t, s.items(deleteDocuments, theseDocuments("new"))["new"].Success)
	s.withoutSources(source, late)
	l.onlySources(kept)
	require.Equal(t, "completed", s.status(kept).Status)
	l.atRest()
}

// reasonsAt is what the judgments about a document say, oldest first.
func (s *scene) reasonsAt(documentID string) (reasons []string) {
	s.t.Helper()
	for _, judgment := range s.judgments(inAcme(map[string]any{"documentId": documentID})).Results {
		require.Equal(s.t, documentID, *judgment.DocumentID)
		reasons = append([]string{judgment.Reasoning}, reasons...)
	}
	return reasons
}

// waitsAbout are the executions whose people are waited for because of a document.
func (s *scene) waitsAbout(documentID string) (executions []string) {
	s.t.Helper()
	for _, step := range everyPage[client.Step](s, "workflow/steps/list", map[string]any{"organizationId": "acme", "documentId": documentID}) {
		require.Equal(s.t, documentID, *step.Metadata.DocumentID)
		executions = append(executions, step.ExecutionID)
	}
	return executions
}

// about is which document an execution and its steps say that they are about.
func (r *run) about() (documentIDs []string) {
	r.s.t.Helper()
	view := r.view()
	documentIDs = []string{*view.DocumentID}
	for _, step := range view.Steps {
		documentIDs = append(documentIDs, *step.Metadata.DocumentID)
	}
	return documentIDs
}

// called gives which document each call of a webhook step at a path names.
func (s *scene) called(path string, n int) (documentIDs []string) {
	s.t.Helper()
	for _, request := range s.arrived(path, receiver.Count(n)) {
		var body struct{ DocumentID string }
		require.NoError(s.t, json.Unmarshal(request.Body, &body))
		documentIDs = append(documentIDs, body.DocumentID)
	}
	return documentIDs
}

// callingFlow is a definition in which a webhook step goes before two decisions of ann,
// and another one after them.
func (s *scene) callingFlow() string {
	s.t.Helper()
	edges := append(client.Both("first", "second"), client.Both("second", "after")...)
	return s.define([]client.Node{
		client.Hook("before", s.receiver().URL("/before")), client.Human("first", "ann"),
		client.Human("second", "ann"), client.Hook("after", s.receiver().URL("/after")),
	}, append(edges, client.Always("before", "first"))...)
}

func TestMigrate_Follow_ExecutionsAndJudgments(t *testing.T) {
	s := begin(t)
	s.items(addDocuments, documents("old"))
	flow := s.callingFlow()
	early := s.dispatch(flow, at("acme", "new")) // there is no document of that id yet
	early.waitsAt("first")
	early.decide("first", "ann", "approve", "too early")
	r := s.dispatch(flow, at("acme", "old"))
	r.waitsAt("first")
	r.decide("first", "ann", "approve", "before")
	r.waitsAt("second")
	s.annotate(doc("old", map[string]any{"commentAnnotations": []any{annotated("note", wrote("bob", "a remark"))}}))
	require.Equal(t, []string{"old", "old", "old", "old"}, r.about())
	require.Equal(t, []string{"before", "a remark"}, s.reasonsAt("old"))
	require.Equal(t, []string{r.id}, s.waitsAbout("old"))
	require.Equal(t, []string{"new", "old"}, s.called("/before", 2))

	s.follows("old", "new")
	require.Equal(t, []string{"new", "new", "new", "new"}, r.about())
	require.Empty(t, s.waitsAbout("old"))
	require.ElementsMatch(t, []string{r.id, early.id}, s.waitsAbout("new"))
	require.Empty(t, s.reasonsAt("old"))
	require.Equal(t, []string{"too early", "before", "a remark"}, s.reasonsAt("new"))
	early.waitsAt("second")
	for _, one := range []*run{r, early} {
		one.decide("second", "ann", "approve", "after")
		one.ends("completed")
		require.Equal(t, []string{"new", "new", "new", "new", "new"}, one.about())
	}
	require.Equal(t, []string{"new", "new"}, s.called("/after", 2))
	require.Equal(t, []string{"too early", "before", "a remark", "after", "after"}, s.reasonsAt("new"))
	for _, item := range everyPage[client.Execution](s, listExecutions, nil) {
		require.Equal(t, "new", *item.DocumentID)
	}
	again := s.dispatch(flow, at("acme", "old"))
	again.waitsAt("first")
	require.Equal(t, []string{again.id}, s.waitsAbout("old"), "the old id names something new")

	s.items(deleteDocuments, theseDocuments("new"))
	require.Empty(t, s.reasonsAt("new"), "also what was about the id before the document had it")
	require.Empty(t, s.recorded(nil))
	require.Equal(t, []string{"new", "new"}, []string{*r.view().DocumentID, *early.view().DocumentID})
}

func TestMigrate_Follow_Definitions(t *testing.T) {
	s := begin(t)
	s.items(addDocuments, documents("old"))
	of := func(documentID string) map[string]any {
		return map[string]any{"scope": map[string]any{"level": "document", "organizationId": "acme", "documentId": documentID}}
	}
	follows, early := unique("definition"), unique("definition")
	s.created(follows, of("old"))
	s.created(early, of("new")) // for an id that no document has yet
	second := of("old")
	second["ifVersion"] = 1
	s.call(updateDefinition, simple(follows, second), nil)
	listed := func(documentID string) (ids []string) {
		for _, item := range everyPage[view](s, listDefinitions, inAcme(map[string]any{"documentId": documentID})) {
			require.Equal(t, of(documentID)["scope"], item["scope"])
			ids = append(ids, item["definitionId"].(string))
		}
		return ids
	}
	scopedTo := func(documentID string) {
		t.Helper()
		newest := map[string]any{"definitionId": follows}
		reads := []map[string]any{newest, {"definitionId": follows, "version": 1}, {"definitionId": follows, "version": 2}}
		for i, operation := range []string{getDefinition, getVersion, getVersion} {
			var read view
			s.call(operation, reads[i], &read)
			require.Equal(t, of(documentID)["scope"], read["scope"], "%v", reads[i])
		}
	}
	scopedTo("old")
	require.Equal(t, []string{follows}, listed("old"))
	s.follows("old", "new")
	scopedTo("new")
	require.Empty(t, listed("old"))
	require.ElementsMatch(t, []string{follows, early}, listed("new"))
	for _, id := range []string{follows, early} {
		s.dispatch(id, at("acme", "new")).ends("completed")
		s.refusedAs("INVALID_ARGUMENT", "workflow/executions/dispatch", client.Dispatch{DefinitionID: id, OrganizationID: "acme", DocumentID: "old"})
	}
}

// Through a migration a list of the organization's judgments shows each once and all
// under one id, and a list of either id shows all of them or none, and so does a search,
// whether of what is recent or by meaning.
func TestMigrate_Follow_JudgmentsAllOrNothing(t *testing.T) {
	s := begin(t)
	const judgments = 50
	s.fill("d0", judgments)
	var over atomic.Bool
	var readers sync.WaitGroup
	read := func(data map[string]any) judgmentPage {
		data["limit"] = 100
		page, err := client.Call[judgmentPage](s.ctx, s.keyed, queryJudgments, data)
		fine(t, err)
		assert.Len(t, page.Results, page.Total)
		return page
	}
	search := func(documentID string, more map[string]any) int {
		found, err := client.Call[foundResult](s.ctx, s.keyed, searchJudgments,
			inAcme(map[string]any{"query": "A remark.", "documentId": documentID, "limit": judgments}, more))
		fine(t, err)
		records := map[string]bool{}
		for _, id := range found.ids() {
			records[id] = true
		}
		assert.Len(t, records, len(found.Results))
		return len(records)
	}
	s.remembers()
	eventually(t, "all are found by meaning", func() bool { return search("d0", map[string]any{}) == judgments })
	for _, ids := range [][]string{{"d0", "d1"}, {"d1", "d2"}} {
		readers.Go(func() {
			for !over.Load() {
				records, documentIDs := map[string]bool{}, map[string]bool{}
				for _, found := range read(inAcme()).Results {
					records[found.RecordID], documentIDs[*found.DocumentID] = true, true
				}
				assert.Len(t, records, judgments)
				assert.Len(t, documentIDs, 1)
				for _, id := range ids {
					assert.Contains(t, []int{0, judgments}, read(inAcme(map[string]any{"documentId": id})).Total)
					assert.Contains(t, []int{0, judgments}, search(id, map[string]any{"recencyDays": 1}))
					assert.Contains(t, []int{0, judgments}, search(id, map[string]any{}))
				}
			}
		})
	}
	s.follows("d0", "d1")
	s.follows("d1", "d2")
	over.Store(true)
	readers.Wait()
	require.Len(t, s.reasonsAt("d2"), 20, "a page")
	require.Empty(t, s.reasonsAt("d1"))
}
