package api_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestAnnotationsAdd_ReadBackAsTheContractShows(t *testing.T) {
	env := newWorkspace(t)
	kit.Items(env, client.AddUsers, map[string]any{"organizationId": "acme", "users": []map[string]any{{"userId": "ann", "name": "Ann", "email": "ann@example.com"}}})
	root := kit.Wrote("ann", "Which year?", map[string]any{"commentId": 7, "createdAt": 1767225600123})
	reply := map[string]any{"commentHtml": `<p>This <b>one</b></p><script>alert(1)</script><br>&amp; {{ann}}`, "from": map[string]any{"userId": "bob", "name": "Bob"}}
	added := kit.Annotate(env, kit.Made("d", kit.Annotated("a", root, reply)))
	require.Len(t, added["a"].CommentIds, 2)
	require.Equal(t, int64(7), added["a"].CommentIds[0])
	require.Positive(t, added["a"].CommentIds[1])
	found := kit.Older[[]redline.Annotation](env, kit.GetAnnotations, kit.Doc("d")).Data
	require.Len(t, found, 1)
	view := found[0]
	ann := redline.Author{UserID: "ann", Name: "Ann", Email: "ann@example.com"}
	require.Equal(t, []any{"a", ann, "OPEN", "Open", redline.StatusTypeDefault, view.Status.Color, "2026-01-01T00:00:00.123Z"},
		[]any{view.AnnotationID, view.From, view.Status.ID, view.Status.Name, view.Status.Type, view.Color, view.CreatedAt})
	require.Equal(t, redline.ThreadItem{CommentID: 7, CommentText: "Which year?", CommentHTML: "", From: ann, LastUpdated: "2026-01-01T00:00:00.123Z", Type: "text"}, view.Comments[0])
	second := view.Comments[1]
	require.Equal(t, reply["commentHtml"], second.CommentHTML, "kept as sent")
	require.Equal(t, "This one\n\n& {{ann}}", second.CommentText)
	require.Equal(t, redline.Author{UserID: "bob", Name: "Bob", Email: ""}, second.From)
	require.Equal(t, second.LastUpdated, view.LastUpdated, "the latest of the comments")
	comments := kit.Older[[]redline.ThreadComment](env, kit.GetComments, kit.Doc("d", map[string]any{"annotationId": "a"})).Data
	require.Equal(t, redline.ThreadCommentStatusAdded, comments[0].Status)
	require.Equal(t, view.Comments[0].LastUpdated, comments[0].LastUpdated)
	whole := kit.Older[[]map[string]any](env, kit.GetAnnotations, kit.Doc("d")).Data[0]
	author := []string{"email", "name", "userId"}
	thread := []string{"commentHtml", "commentId", "commentText", "from", "lastUpdated", "type"}
	require.Equal(t, []string{"annotationId", "color", "comments", "createdAt", "from", "lastUpdated", "status"}, keysOf(whole), "exactly those fields")
	require.Equal(t, author, keysOf(whole["from"]))
	require.Equal(t, []string{"color", "id", "name", "type"}, keysOf(whole["status"]))
	for _, comment := range whole["comments"].([]any) {
		require.Equal(t, thread, keysOf(comment))
		require.Equal(t, author, keysOf(comment.(map[string]any)["from"]))
	}
	alone := kit.Older[[]map[string]any](env, kit.GetComments, kit.Doc("d", map[string]any{"annotationId": "a"})).Data[0]
	require.Equal(t, append(slices.Clone(thread[:5]), "status", "type"), keysOf(alone))
	require.Equal(t, author, keysOf(alone["from"]))
}

// keysOf are the keys of an object in their order.
func keysOf(object any) []string {
	members, _ := object.(map[string]any)
	return slices.Sorted(maps.Keys(members))
}

func TestAnnotationsAdd_1_FiftyRequestsWithOneId(t *testing.T) {
	env := newWorkspace(t)
	errs := make([]error, 50)
	kit.Concurrently(len(errs), func(i int) {
		_, errs[i] = client.Call[json.RawMessage](env.Ctx, env.Keyed, client.AddAnnotations, kit.Made(fmt.Sprintf("d%d", i), kit.Annotated("same", kit.Wrote("ann", "a"))))
	})
	won := 0
	for i, err := range errs {
		documents := kit.Older[[]redline.Annotation](env, kit.GetAnnotations, kit.Doc(fmt.Sprintf("d%d", i))).Data
		if err == nil {
			won++
			require.Len(t, documents, 1)
			continue
		}
		require.Equal(t, redline.ProblemStatusAlreadyExists, redline.AsError(err).Status)
		require.Empty(t, documents)
		env.RefusedAs("NOT_FOUND", client.AddAnnotations, kit.Doc(fmt.Sprintf("d%d", i), map[string]any{"commentAnnotations": []any{kit.Annotated(fmt.Sprint("free", i), kit.Wrote("ann", "a"))}}))
	}
	require.Equal(t, 1, won)
	require.Equal(t, []any{"same"}, kit.Details(env, client.AddAnnotations, kit.Made("d", kit.Annotated("same", kit.Wrote("ann", "a"))))["annotationIds"])
}

func TestAnnotationsAdd_2_FiftyRequestsForOneNewDocument(t *testing.T) {
	env := newWorkspace(t)
	errs := make([]error, 50)
	kit.Concurrently(len(errs), func(i int) {
		_, errs[i] = client.Call[json.RawMessage](env.Ctx, env.Keyed, client.AddAnnotations, kit.Made("d", map[string]any{"commentData": []any{kit.Wrote("ann", "a")}}))
	})
	for _, err := range errs {
		require.NoError(t, err)
	}
	require.Equal(t, [2]int{50, 50}, kit.Counts(env, "bob", "d")["d"])
}

func TestAnnotationsAdd_3_OneInvalidOfAHundred(t *testing.T) {
	env := newWorkspace(t)
	all := make([]map[string]any, 100, 101)
	for i := range all {
		all[i] = kit.Annotated(fmt.Sprint("a", i), kit.Wrote("ann", "a"))
	}
	all[99]["type"] = "remark"
	failure := env.RefusedAs("INVALID_ARGUMENT", client.AddAnnotations, kit.Made("d", all...))
	require.Equal(t, []string{"commentAnnotations", "99", "type"}, failure.Issues[0].Path)
	require.Empty(t, kit.Older[[]redline.Annotation](env, kit.GetAnnotations, kit.Doc("d")).Data)
	delete(all[99], "type")
	require.Len(t, kit.Annotate(env, kit.Made("d", all...)), 100)
	env.RefusedAs("INVALID_ARGUMENT", client.AddAnnotations, kit.Made("d", append(all, kit.Annotated("one more", kit.Wrote("ann", "a")))...))
}

func TestAnnotationsAdd_4_IdsAreOfTheWorkspace(t *testing.T) {
	env := newWorkspace(t)
	kit.Annotate(env, kit.Made("d", kit.Annotated("a", kit.Wrote("ann", "a"))))
	other := kit.Made("d", kit.Annotated("b", kit.Wrote("ann", "a")), kit.Annotated("a", kit.Wrote("ann", "a")))
	other["organizationId"] = "other"
	env.RefusedAs("ALREADY_EXISTS", client.AddAnnotations, other)
	kit.Annotate(kit.Elsewhere(env), other)
	odd := kit.Made("d")
	var annotations []map[string]any
	for _, id := range kit.OddIDs {
		annotations = append(annotations, kit.Annotated(id, kit.Wrote(id, "{{"+id+"}}")))
	}
	odd["commentAnnotations"] = annotations
	require.Len(t, kit.Annotate(env, odd), len(kit.OddIDs))
	slots := kit.Older[[]*redline.Annotation](env, kit.GetAnnotations, kit.Doc("d", map[string]any{"annotationIds": kit.OddIDs})).Data
	for i, id := range kit.OddIDs {
		require.Equal(t, id, slots[i].AnnotationID)
		require.Equal(t, id, slots[i].From.UserID)
	}
}

func TestAnnotationsAdd_WhatIsRefused(t *testing.T) {
	env := newWorkspace(t)
	with := func(fields map[string]any) map[string]any {
		annotation := kit.Annotated("a", kit.Wrote("ann", "a"))
		maps.Copy(annotation, fields)
		return annotation
	}
	comment := func(fields map[string]any) map[string]any {
		return kit.Annotated("a", kit.Wrote("ann", "{{bob}}", fields))
	}
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
		"a control character":    kit.Annotated("a\n", kit.Wrote("ann", "a")),
		"an unknown comment":     with(map[string]any{"commentType": "video"}),
		"a status without icon":  with(map[string]any{"status": status}),
		"restricted to nobody":   with(map[string]any{"visibility": map[string]any{"type": "restricted"}}),
		"private to nothing":     with(map[string]any{"visibility": map[string]any{"type": "organizationPrivate"}}),
		"a broken time":          with(map[string]any{"createdAt": 1.5}),
		"a NUL in a context":     with(map[string]any{"context": map[string]any{"x": "\x00"}}),
		"a location without id":  with(map[string]any{"location": map[string]any{"locationName": "x"}}),
		"a broken commentId":     comment(map[string]any{"commentId": 12.5}),
		"a commentId of 0":       comment(map[string]any{"commentId": 0}),
		"a commentId twice":      kit.Annotated("a", kit.Wrote("ann", "a", map[string]any{"commentId": 1}), kit.Wrote("ann", "b", map[string]any{"commentId": 1})),
		"contact of another":     comment(map[string]any{"taggedUserContacts": []any{contact("bob", "eve")}}),
		"contact twice":          comment(map[string]any{"taggedUserContacts": []any{contact("bob", "bob"), contact("bob", "bob")}}),
		"contact not tagged":     comment(map[string]any{"taggedUserContacts": []any{contact("eve", "eve")}}),
		"an agent without name":  agent(map[string]any{"agentName": nil}),
		"an agent without id":    agent(map[string]any{"agentSource": "svc"}),
		"a reason without title": agent(map[string]any{"reason": map[string]any{"description": "d", "severity": "low"}}),
	} {
		failure := env.Refused(client.AddAnnotations, kit.Made("d", annotation))
		require.Equal(t, redline.ProblemStatusInvalidArgument, failure.Status, name)
		require.Equal(t, "commentAnnotations", failure.Issues[0].Path[0], name)
	}
	twice := kit.Made("d", kit.Annotated("a", kit.Wrote("ann", "a")), kit.Annotated("a", kit.Wrote("ann", "a")))
	require.Equal(t, "duplicate", env.RefusedAs("INVALID_ARGUMENT", client.AddAnnotations, twice).Issues[0].Code)
	require.Equal(t, map[string]any{"reason": "not-found", "resource": "agent", "id": "Spell-Check", "agentIds": []any{"Spell-Check"}},
		kit.Details(env, client.AddAnnotations, kit.Made("d", agent(map[string]any{"agentSource": "svc", "agentId": "Spell-Check"}))))
	require.Equal(t, [2]int{}, kit.Counts(env, "ann", "d")["d"], "nothing was written")
}

func TestAnnotationsAdd_OnlyWhereTheContainersAre(t *testing.T) {
	env := newWorkspace(t)
	data := kit.Made("d", kit.Annotated("a", kit.Wrote("ann", "a")))
	delete(data, "createOrganization")
	require.Equal(t, map[string]any{"reason": "not-found", "resource": "organization", "id": "acme"}, kit.Details(env, client.AddAnnotations, data))
	data["createOrganization"] = true
	data["createDocument"] = false
	require.Equal(t, map[string]any{"reason": "not-found", "resource": "document", "id": "d"}, kit.Details(env, client.AddAnnotations, data))
	delete(data, "createOrganization")
	require.Equal(t, "organization", kit.Details(env, client.AddAnnotations, data)["resource"], "a refused call makes no organization")
}

func TestAnnotationsAdd_VerifiedAuthors(t *testing.T) {
	env := newWorkspace(t)
	checkRole := func(more map[string]any, user, role string) {
		data := map[string]any{"organizationId": "acme", "users": []map[string]any{{"userId": user, "accessRole": role}}}
		maps.Copy(data, more)
		kit.Items(env, client.AddUsers, data)
	}
	document := func(id string) map[string]any { return map[string]any{"documentId": id, "createDocument": true} }
	require.True(t, kit.MayWrite(env, "nobody", "open"), "row 1")
	checkRole(nil, "viewer", "viewer")
	checkRole(nil, "editor", "editor")
	require.False(t, kit.MayWrite(env, "viewer", "open"), "row 2")
	checkRole(document("open"), "viewer", "editor")
	require.True(t, kit.MayWrite(env, "viewer", "open"), "row 3")
	env.Call(client.UpdateSettings, map[string]any{"defaultDocumentAccessType": "organizationPrivate"}, nil)
	require.True(t, kit.MayWrite(env, "nobody", "open"), "a change touches no existing document")
	require.False(t, kit.MayWrite(env, "nobody", "private"), "row 4, and the document was not made")
	kit.Items(env, client.AddUsers, map[string]any{"organizationId": "other", "users": kit.Users("stranger")})
	checkRole(document("private"), "guest", "viewer")
	require.False(t, kit.MayWrite(env, "stranger", "private"), "row 4")
	require.Equal(t, []bool{true, false}, []bool{kit.MayWrite(env, "editor", "private"), kit.MayWrite(env, "viewer", "private")}, "row 5")
	require.False(t, kit.MayWrite(env, "guest", "private"), "row 6")
	checkRole(document("private"), "editor", "viewer")
	require.False(t, kit.MayWrite(env, "editor", "private"), "row 7")
	env.Call(client.UpdateSettings, map[string]any{"defaultDocumentAccessType": "restricted"}, nil)
	require.False(t, kit.MayWrite(env, "nobody", "closed"), "row 12")
	require.True(t, kit.MayWrite(env, "editor", "closed"), "row 12")
	data := kit.Made("closed", kit.Annotated("a", kit.Wrote("editor", "a")), kit.Annotated("b", kit.Wrote("nobody", "b"), kit.Wrote("eve", "c"), kit.Wrote("nobody", "d")))
	data["verifyUserPermissions"] = true
	require.Equal(t, map[string]any{"reason": "permission-denied", "denied": []any{
		map[string]any{"index": 1.0, "userId": "nobody"}, map[string]any{"index": 1.0, "userId": "eve"},
	}}, kit.Details(env, client.AddAnnotations, data))
	require.Equal(t, [2]int{1, 0}, kit.Counts(env, "editor", "closed")["closed"], "nothing of it was written")
}
