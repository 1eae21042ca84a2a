package tests

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
)

const (
	addAnnotations = "commentannotations/add"
	getAnnotations = "/v1/commentannotations/get"
	getComments    = "/v1/commentannotations/comments/get"
	countNotes     = "/v1/commentannotations/count/get"
	countAgain     = "/v2/commentannotations/count/get"
)

type authorView struct {
	UserID string `json:"userId"`
	Name   string `json:"name"`
	Email  string `json:"email"`
}

type commentView struct {
	CommentID   int64      `json:"commentId"`
	CommentText string     `json:"commentText"`
	CommentHTML string     `json:"commentHtml"`
	From        authorView `json:"from"`
	LastUpdated string     `json:"lastUpdated"`
	Type        string     `json:"type"`
	Status      string     `json:"status"`
}

type annotationView struct {
	AnnotationID string        `json:"annotationId"`
	Comments     []commentView `json:"comments"`
	From         authorView    `json:"from"`
	Color        string        `json:"color"`
	CreatedAt    string        `json:"createdAt"`
	LastUpdated  string        `json:"lastUpdated"`
	Status       struct {
		ID    string `json:"id"`
		Name  string `json:"name"`
		Color string `json:"color"`
		Type  string `json:"type"`
	} `json:"status"`
}

type addedView struct {
	Success      bool    `json:"success"`
	AnnotationID string  `json:"annotationId"`
	CommentIDs   []int64 `json:"commentIds"`
	FindingID    string  `json:"findingId"`
}

type pagedView[T any] struct {
	Status        string `json:"status"`
	Data          T      `json:"data"`
	NextPageToken string `json:"nextPageToken"`
}

// older makes an operation of the older family, which has to succeed.
func older[T any](s *scene, path string, data map[string]any) pagedView[T] {
	s.t.Helper()
	view, err := tryOlder[T](s, path, data)
	require.NoError(s.t, err, path)
	require.Equal(s.t, "success", view.Status)
	return view
}

// tryOlder is older for any goroutine; a refusal is an error.
func tryOlder[T any](s *scene, path string, data map[string]any) (pagedView[T], error) {
	var answer struct {
		Result pagedView[T] `json:"result"`
	}
	body, err := json.Marshal(map[string]any{"data": data})
	if err != nil {
		return answer.Result, err
	}
	reply, err := s.keyed.Send(s.ctx, path, body, nil)
	if err != nil {
		return answer.Result, err
	}
	if failure := reply.Failure(); failure != nil {
		return answer.Result, failure
	}
	err = json.Unmarshal(reply.Body, &answer)
	return answer.Result, err
}

func (s *scene) olderReply(path string, data map[string]any) *client.Reply {
	s.t.Helper()
	body, err := json.Marshal(map[string]any{"data": data})
	require.NoError(s.t, err)
	reply, err := s.keyed.Send(s.ctx, path, body, nil)
	require.NoError(s.t, err)
	return reply
}

// olderRefused is an operation of the older family that is answered with an
// error.
func (s *scene) olderRefused(status, path string, data map[string]any) *client.Failure {
	s.t.Helper()
	failure := s.olderReply(path, data).Failure()
	require.NotNil(s.t, failure)
	require.Equal(s.t, status, failure.Status, "%v", failure)
	return failure
}

// wrote is a comment by a user.
func wrote(user, text string, more ...map[string]any) map[string]any {
	comment := map[string]any{"commentText": text, "from": map[string]any{"userId": user}}
	for _, fields := range more {
		maps.Copy(comment, fields)
	}
	return comment
}

// annotated is an annotation of these comments.
func annotated(annotationID string, comments ...map[string]any) map[string]any {
	return map[string]any{"annotationId": annotationID, "commentData": comments}
}

// doc names a document of acme, with more fields.
func doc(documentID string, more ...map[string]any) map[string]any {
	data := map[string]any{"organizationId": "acme", "documentId": documentID}
	for _, fields := range more {
		maps.Copy(data, fields)
	}
	return data
}

// made is doc for an add that makes what is missing.
func made(documentID string, annotations ...map[string]any) map[string]any {
	return doc(documentID, map[string]any{"createOrganization": true, "createDocument": true, "commentAnnotations": annotations})
}

func (s *scene) annotate(data map[string]any) map[string]addedView {
	s.t.Helper()
	var added client.Wrapped[map[string]addedView]
	s.call(addAnnotations, data, &added)
	require.Equal(s.t, "success", added.Status)
	return added.Data
}

func (s *scene) counts(user string, documents ...string) map[string][2]int {
	s.t.Helper()
	type count struct{ Total, Unread int }
	found := older[map[string]count](s, countNotes, map[string]any{"organizationId": "acme", "documentIds": documents, "userId": user})
	pairs := map[string][2]int{}
	for document, c := range found.Data {
		pairs[document] = [2]int{c.Total, c.Unread}
	}
	return pairs
}

func TestAnnotationsAdd_ReadBackAsTheContractShows(t *testing.T) {
	s := begin(t)
	s.items("users/add", map[string]any{"organizationId": "acme", "users": []map[string]any{{"userId": "ann", "name": "Ann", "email": "ann@example.com"}}})
	root := wrote("ann", "Which year?", map[string]any{"commentId": 7, "createdAt": 1767225600123})
	reply := map[string]any{"commentHtml": `<p>This <b>one</b></p><script>alert(1)</script><br>&amp; {{ann}}`, "from": map[string]any{"userId": "bob", "name": "Bob"}}
	added := s.annotate(made("d", annotated("a", root, reply)))
	require.Len(t, added["a"].CommentIDs, 2)
	require.Equal(t, int64(7), added["a"].CommentIDs[0])
	require.Positive(t, added["a"].CommentIDs[1])
	found := older[[]annotationView](s, getAnnotations, doc("d")).Data
	require.Len(t, found, 1)
	view := found[0]
	ann := authorView{"ann", "Ann", "ann@example.com"}
	require.Equal(t, []any{"a", ann, "OPEN", "Open", "default", view.Status.Color, "2026-01-01T00:00:00.123Z"},
		[]any{view.AnnotationID, view.From, view.Status.ID, view.Status.Name, view.Status.Type, view.Color, view.CreatedAt})
	require.Equal(t, commentView{7, "Which year?", "", ann, "2026-01-01T00:00:00.123Z", "text", ""}, view.Comments[0])
	second := view.Comments[1]
	require.Equal(t, reply["commentHtml"], second.CommentHTML, "kept as sent")
	require.Equal(t, "This one\n\n& {{ann}}", second.CommentText)
	require.Equal(t, authorView{"bob", "Bob", ""}, second.From)
	require.Equal(t, second.LastUpdated, view.LastUpdated, "the latest of the comments")
	comments := older[[]commentView](s, getComments, doc("d", map[string]any{"annotationId": "a"})).Data
	require.Equal(t, "added", comments[0].Status)
	comments[0].Status = ""
	require.Equal(t, view.Comments[0], comments[0])
	whole := older[[]map[string]any](s, getAnnotations, doc("d")).Data[0]
	author := []string{"email", "name", "userId"}
	thread := []string{"commentHtml", "commentId", "commentText", "from", "lastUpdated", "type"}
	require.Equal(t, []string{"annotationId", "color", "comments", "createdAt", "from", "lastUpdated", "status"}, keysOf(whole), "exactly those fields")
	require.Equal(t, author, keysOf(whole["from"]))
	require.Equal(t, []string{"color", "id", "name", "type"}, keysOf(whole["status"]))
	for _, comment := range whole["comments"].([]any) {
		require.Equal(t, thread, keysOf(comment))
		require.Equal(t, author, keysOf(comment.(map[string]any)["from"]))
	}
	alone := older[[]map[string]any](s, getComments, doc("d", map[string]any{"annotationId": "a"})).Data[0]
	require.Equal(t, append(slices.Clone(thread[:5]), "status", "type"), keysOf(alone))
	require.Equal(t, author, keysOf(alone["from"]))
}

// keysOf are the keys of an object in their order.
func keysOf(object any) []string {
	members, _ := object.(map[string]any)
	return slices.Sorted(maps.Keys(members))
}

func TestAnnotationsAdd_1_FiftyRequestsWithOneId(t *testing.T) {
	s := begin(t)
	errs := make([]error, 50)
	together(len(errs), func(i int) {
		_, errs[i] = client.Call[json.RawMessage](s.ctx, s.keyed, addAnnotations, made(fmt.Sprintf("d%d", i), annotated("same", wrote("ann", "a"))))
	})
	won := 0
	for i, err := range errs {
		documents := older[[]annotationView](s, getAnnotations, doc(fmt.Sprintf("d%d", i))).Data
		if err == nil {
			won++
			require.Len(t, documents, 1)
			continue
		}
		require.Equal(t, "ALREADY_EXISTS", client.Refusal(err).Status)
		require.Empty(t, documents)
		s.refusedAs("NOT_FOUND", addAnnotations, doc(fmt.Sprintf("d%d", i), map[string]any{"commentAnnotations": []any{annotated(fmt.Sprint("free", i), wrote("ann", "a"))}}))
	}
	require.Equal(t, 1, won)
	require.Equal(t, []any{"same"}, s.details(addAnnotations, made("d", annotated("same", wrote("ann", "a"))))["annotationIds"])
}

func TestAnnotationsAdd_2_FiftyRequestsForOneNewDocument(t *testing.T) {
	s := begin(t)
	errs := make([]error, 50)
	together(len(errs), func(i int) {
		_, errs[i] = client.Call[json.RawMessage](s.ctx, s.keyed, addAnnotations, made("d", map[string]any{"commentData": []any{wrote("ann", "a")}}))
	})
	for _, err := range errs {
		require.NoError(t, err)
	}
	require.Equal(t, [2]int{50, 50}, s.counts("bob", "d")["d"])
}

func TestAnnotationsAdd_3_OneInvalidOfAHundred(t *testing.T) {
	s := begin(t)
	all := make([]map[string]any, 100, 101)
	for i := range all {
		all[i] = annotated(fmt.Sprint("a", i), wrote("ann", "a"))
	}
	all[99]["type"] = "remark"
	failure := s.refusedAs("INVALID_ARGUMENT", addAnnotations, made("d", all...))
	require.Equal(t, []string{"commentAnnotations", "99", "type"}, failure.Issues[0].Path)
	require.Empty(t, older[[]annotationView](s, getAnnotations, doc("d")).Data)
	delete(all[99], "type")
	require.Len(t, s.annotate(made("d", all...)), 100)
	s.refusedAs("INVALID_ARGUMENT", addAnnotations, made("d", append(all, annotated("one more", wrote("ann", "a")))...))
}

func TestAnnotationsAdd_4_IdsAreOfTheWorkspace(t *testing.T) {
	s := begin(t)
	s.annotate(made("d", annotated("a", wrote("ann", "a"))))
	other := made("d", annotated("b", wrote("ann", "a")), annotated("a", wrote("ann", "a")))
	other["organizationId"] = "other"
	s.refusedAs("ALREADY_EXISTS", addAnnotations, other)
	s.elsewhere().annotate(other)
	odd := made("d")
	var annotations []map[string]any
	for _, id := range oddIDs {
		annotations = append(annotations, annotated(id, wrote(id, "{{"+id+"}}")))
	}
	odd["commentAnnotations"] = annotations
	require.Len(t, s.annotate(odd), len(oddIDs))
	slots := older[[]*annotationView](s, getAnnotations, doc("d", map[string]any{"annotationIds": oddIDs})).Data
	for i, id := range oddIDs {
		require.Equal(t, id, slots[i].AnnotationID)
		require.Equal(t, id, slots[i].From.UserID)
	}
}

func TestAnnotationsAdd_WhatIsRefused(t *testing.T) {
	s := begin(t)
	with := func(fields map[string]any) map[string]any {
		annotation := annotated("a", wrote("ann", "a"))
		maps.Copy(annotation, fields)
		return annotation
	}
	comment := func(fields map[string]any) map[string]any { return annotated("a", wrote("ann", "{{bob}}", fields)) }
	contact := func(user, person string) map[string]any {
		return map[string]any{"userId": user, "contact": map[string]any{"userId": person}}
	}
	agent := func(fields map[string]any) map[string]any {
		block := map[string]any{"agentSource": "external", "agentName": "Bot", "reason": map[string]any{"title": "t", "description": "d", "severity": "low"}}
		maps.Copy(block, fields)
		return comment(map[string]any{"agent": block})
	}
	status := map[string]any{"id": "X", "name": "X", "type": "default", "color": "#000", "lightColor": "#fff"}
	for name, annotation := range map[string]map[string]any{
		"no comment":             {"annotationId": "a", "commentData": []any{}},
		"no author":              {"annotationId": "a", "commentData": []any{map[string]any{"commentText": "a"}}},
		"a control character":    annotated("a\n", wrote("ann", "a")),
		"an unknown comment":     with(map[string]any{"commentType": "video"}),
		"a status without icon":  with(map[string]any{"status": status}),
		"restricted to nobody":   with(map[string]any{"visibility": map[string]any{"type": "restricted"}}),
		"private to nothing":     with(map[string]any{"visibility": map[string]any{"type": "organizationPrivate"}}),
		"a broken time":          with(map[string]any{"createdAt": 1.5}),
		"a NUL in a context":     with(map[string]any{"context": map[string]any{"x": "\x00"}}),
		"a location without id":  with(map[string]any{"location": map[string]any{"locationName": "x"}}),
		"a broken commentId":     comment(map[string]any{"commentId": 12.5}),
		"a commentId of 0":       comment(map[string]any{"commentId": 0}),
		"a commentId twice":      annotated("a", wrote("ann", "a", map[string]any{"commentId": 1}), wrote("ann", "b", map[string]any{"commentId": 1})),
		"contact of another":     comment(map[string]any{"taggedUserContacts": []any{contact("bob", "eve")}}),
		"contact twice":          comment(map[string]any{"taggedUserContacts": []any{contact("bob", "bob"), contact("bob", "bob")}}),
		"contact not tagged":     comment(map[string]any{"taggedUserContacts": []any{contact("eve", "eve")}}),
		"an agent without name":  agent(map[string]any{"agentName": nil}),
		"an agent without id":    agent(map[string]any{"agentSource": "svc"}),
		"a reason without title": agent(map[string]any{"reason": map[string]any{"description": "d", "severity": "low"}}),
	} {
		failure := s.refused(addAnnotations, made("d", annotation))
		require.Equal(t, "INVALID_ARGUMENT", failure.Status, name)
		require.Equal(t, "commentAnnotations", failure.Issues[0].Path[0], name)
	}
	twice := made("d", annotated("a", wrote("ann", "a")), annotated("a", wrote("ann", "a")))
	require.Equal(t, "duplicate", s.refusedAs("INVALID_ARGUMENT", addAnnotations, twice).Issues[0].Code)
	require.Equal(t, map[string]any{"reason": "not-found", "resource": "agent", "id": "Spell-Check", "agentIds": []any{"Spell-Check"}},
		s.details(addAnnotations, made("d", agent(map[string]any{"agentSource": "svc", "agentId": "Spell-Check"}))))
	require.Equal(t, [2]int{}, s.counts("ann", "d")["d"], "nothing was written")
}

func TestAnnotationsAdd_OnlyWhereTheContainersAre(t *testing.T) {
	s := begin(t)
	data := made("d", annotated("a", wrote("ann", "a")))
	delete(data, "createOrganization")
	require.Equal(t, map[string]any{"reason": "not-found", "resource": "organization", "id": "acme"}, s.details(addAnnotations, data))
	data["createOrganization"] = true
	data["createDocument"] = false
	require.Equal(t, map[string]any{"reason": "not-found", "resource": "document", "id": "d"}, s.details(addAnnotations, data))
	delete(data, "createOrganization")
	require.Equal(t, "organization", s.details(addAnnotations, data)["resource"], "a refused call makes no organization")
}

// access is one user's add with verifyUserPermissions to a document.
func (s *scene) mayWrite(user, documentID string) bool {
	s.t.Helper()
	data := made(documentID, map[string]any{"commentData": []any{wrote(user, "a")}})
	data["verifyUserPermissions"] = true
	_, err := client.Call[json.RawMessage](s.ctx, s.keyed, addAnnotations, data)
	if refused := client.Refusal(err); refused != nil {
		require.Equal(s.t, "PERMISSION_DENIED", refused.Status)
		return false
	}
	require.NoError(s.t, err)
	return true
}

func TestAnnotationsAdd_VerifiedAuthors(t *testing.T) {
	s := begin(t)
	checkRole := func(more map[string]any, user, role string) {
		data := map[string]any{"organizationId": "acme", "users": []map[string]any{{"userId": user, "accessRole": role}}}
		maps.Copy(data, more)
		s.items("users/add", data)
	}
	document := func(id string) map[string]any { return map[string]any{"documentId": id, "createDocument": true} }
	require.True(t, s.mayWrite("nobody", "open"), "row 1")
	checkRole(nil, "viewer", "viewer")
	checkRole(nil, "editor", "editor")
	require.False(t, s.mayWrite("viewer", "open"), "row 2")
	checkRole(document("open"), "viewer", "editor")
	require.True(t, s.mayWrite("viewer", "open"), "row 3")
	s.call(updateSettings, map[string]any{"defaultDocumentAccessType": "organizationPrivate"}, nil)
	require.True(t, s.mayWrite("nobody", "open"), "a change touches no existing document")
	require.False(t, s.mayWrite("nobody", "private"), "row 4, and the document was not made")
	s.items("users/add", map[string]any{"organizationId": "other", "users": users("stranger")})
	checkRole(document("private"), "guest", "viewer")
	require.False(t, s.mayWrite("stranger", "private"), "row 4")
	require.Equal(t, []bool{true, false}, []bool{s.mayWrite("editor", "private"), s.mayWrite("viewer", "private")}, "row 5")
	require.False(t, s.mayWrite("guest", "private"), "row 6")
	checkRole(document("private"), "editor", "viewer")
	require.False(t, s.mayWrite("editor", "private"), "row 7")
	s.call(updateSettings, map[string]any{"defaultDocumentAccessType": "restricted"}, nil)
	require.False(t, s.mayWrite("nobody", "closed"), "row 12")
	require.True(t, s.mayWrite("editor", "closed"), "row 12")
	data := made("closed", annotated("a", wrote("editor", "a")), annotated("b", wrote("nobody", "b"), wrote("eve", "c"), wrote("nobody", "d")))
	data["verifyUserPermissions"] = true
	require.Equal(t, map[string]any{"reason": "permission-denied", "denied": []any{
		map[string]any{"index": 1.0, "userId": "nobody"}, map[string]any{"index": 1.0, "userId": "eve"},
	}}, s.details(addAnnotations, data))
	require.Equal(t, [2]int{1, 0}, s.counts("editor", "closed")["closed"], "nothing of it was written")
}
