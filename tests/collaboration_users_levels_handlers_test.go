package tests

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/require"
)

// knownAs gives the name and the e-mail of a user that a comment keeps which the
// user writes now: the id stands for a name that is not known, nil for an e-mail.
func (s *scene) knownAs(userID string) []any {
	s.t.Helper()
	annotationID := unique("note")
	s.annotate(made("of "+userID, annotated(annotationID, wrote(userID, "I am here."))))
	page := s.judgments(map[string]any{"organizationId": "acme", "annotationId": annotationID})
	require.Len(s.t, page.Results, 1)
	who := page.Results[0].ActionUser
	require.Equal(s.t, userID, who["userId"])
	return []any{who["name"], who["email"]}
}

// acme is a level of the organization, or the organization itself, with users.
func acme(level map[string]any, users ...map[string]any) map[string]any {
	data := map[string]any{"organizationId": "acme", "users": users}
	maps.Copy(data, level)
	return data
}

// The last element of a user counts as a whole, and there is one entry.
func TestUsersAddAndUpdate_TheLastElementOfAUserCounts(t *testing.T) {
	s := begin(t)
	s.call(updateSettings, map[string]any{"defaultDocumentAccessType": "organizationPrivate"}, nil)
	role := func(role, name string) map[string]any {
		return map[string]any{"userId": "ann", "accessRole": role, "name": name}
	}
	added := s.items("users/add", acme(nil, user("ann", "First", "first@example.com"), role("viewer", "Second"), users("bob")[0], role("editor", "Third")))
	require.Len(t, added, 2)
	require.True(t, added["ann"].Success && added["bob"].Success)
	require.Equal(t, []any{"Third", nil}, s.knownAs("ann"))
	require.True(t, s.mayWrite("ann", "d"))
	for _, last := range []string{"viewer", "editor"} {
		first := map[string]string{"viewer": "editor", "editor": "viewer"}[last]
		updated := s.items("users/update", acme(nil, role(first, "Not this"), users("unknown")[0], users("unknown")[0], role(last, "By "+last)))
		require.Len(t, updated, 2)
		require.Equal(t, []any{true, "not-found"}, []any{updated["ann"].Success, updated["unknown"].Code})
		require.Equal(t, last == "editor", s.mayWrite("ann", "d"), last)
		require.Equal(t, []any{"By " + last, nil}, s.knownAs("ann"))
	}
	s.items("users/update", acme(nil, user("ann", "Not this", "lost@example.com"), map[string]any{"userId": "ann", "name": "Last"}))
	require.Equal(t, []any{"Last", nil}, s.knownAs("ann"))
}

// null clears what is known in an update and is as if absent in an add.
func TestUsersAddAndUpdate_Nulls(t *testing.T) {
	s := begin(t)
	nulls := map[string]any{"name": nil, "email": nil, "initial": nil, "photoUrl": nil, "accessRole": nil, "team": nil}
	of := func(userID string) map[string]any {
		element := maps.Clone(nulls)
		element["userId"] = userID
		return element
	}
	known := []any{"Ann", "ann@example.com"}
	s.items("users/add", acme(nil, user("ann", "Ann", "ann@example.com")))
	require.Equal(t, known, s.knownAs("ann"))
	require.True(t, s.items("users/add", acme(nil, of("ann")))["ann"].Success)
	require.Equal(t, known, s.knownAs("ann"), "nothing was sent")
	require.True(t, s.items("users/add", acme(nil, of("new")))["new"].Success)
	require.Equal(t, []any{"new", nil}, s.knownAs("new"))
	s.items("users/update", acme(nil, map[string]any{"userId": "ann", "email": nil}))
	require.Equal(t, []any{"Ann", nil}, s.knownAs("ann"), "the name was not sent")
	s.items("users/update", acme(nil, map[string]any{"userId": "ann", "email": "again@example.com", "name": nil}))
	require.Equal(t, []any{"ann", "again@example.com"}, s.knownAs("ann"))
	s.items("users/update", acme(nil, map[string]any{"userId": "ann", "name": nil, "email": nil}))
	require.Equal(t, []any{"ann", nil}, s.knownAs("ann"))
}

// An update or a delete at a folder is of the grant there and of no other.
func TestUsersUpdateAndDelete_AtAFolder(t *testing.T) {
	s := begin(t)
	folder := func(id string) map[string]any { return map[string]any{"folderId": id} }
	making := func(id string) map[string]any { return map[string]any{"folderId": id, "createFolder": true} }
	viewer := map[string]any{"userId": "ann", "accessRole": "viewer"}
	update := func(level map[string]any) string { return s.items("users/update", acme(level, viewer))["ann"].Code }
	remove := func(level map[string]any) string {
		data := acme(level)
		delete(data, "users")
		data["userIds"] = []string{"ann", "ann"}
		removed := s.items("users/delete", data)
		require.Len(t, removed, 1)
		return removed["ann"].Code
	}
	s.items("users/add", acme(making("f"), users("bob")...))
	require.Equal(t, "not-found", update(folder("f")), "without a profile")
	s.items("users/add", acme(nil, users("ann")...))
	require.Equal(t, "not-member", update(folder("f")))
	require.Equal(t, "not-found", update(folder("unknown")))
	require.Equal(t, "not-found", remove(folder("unknown")))
	require.Equal(t, "not-found", remove(folder("f")))
	for _, id := range []string{"f", "g"} {
		s.items("users/add", acme(making(id), users("ann")...))
		require.Empty(t, update(folder(id)))
	}
	require.Empty(t, remove(folder("f")))
	require.Equal(t, "not-member", update(folder("f")))
	require.Equal(t, "not-found", remove(folder("f")), "it is gone")
	require.Empty(t, update(folder("g")), "another folder's")
	require.Empty(t, update(nil), "the organization's")
	require.Equal(t, "Name of ann", s.knownAs("ann")[0], "the profile stays")
	require.Empty(t, remove(nil))
	require.Equal(t, "not-found", update(folder("g")), "the organization's takes all")
	s.items("users/add", acme(nil, users("ann")...))
	require.Equal(t, "not-member", update(folder("g")), "no old grant comes back")
}

// Who was added to one document only is judged elsewhere as anybody would be.
func TestUsersAdd_3_ADocumentsUserAtOtherDocuments(t *testing.T) {
	s := begin(t)
	viewer := map[string]any{"userId": "ann", "accessRole": "viewer"}
	s.items("users/add", acme(nil, users("member")...))
	for access, elsewhere := range map[string]bool{"public": true, "organizationPrivate": false, "restricted": false} {
		s.call(updateSettings, map[string]any{"defaultDocumentAccessType": access}, nil)
		own, other := access+" own", access+" other"
		s.annotate(made(other, annotated(unique("note"), wrote("member", "a"))))
		level := map[string]any{"documentId": own, "createDocument": true}
		s.items("users/add", acme(level, users("eve")...))
		s.items("users/add", acme(level, viewer))
		require.Equal(t, []bool{true, elsewhere}, []bool{s.mayWrite("eve", own), s.mayWrite("eve", other)}, access)
		require.Equal(t, []bool{false, elsewhere}, []bool{s.mayWrite("ann", own), s.mayWrite("ann", other)}, "a viewer there, "+access)
		require.True(t, s.mayWrite("member", other), access)
	}
}
