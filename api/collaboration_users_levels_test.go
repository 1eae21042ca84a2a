package api_test

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

// knownAs returns the name and the e-mail of a user that a comment keeps which the
// user writes now: the id stands for a name that is not known, nil for an e-mail.
func knownAs(env *kit.Env, userID string) []any {
	env.T.Helper()
	annotationID := kit.Unique("note")
	kit.Annotate(env, kit.Made("of "+userID, kit.Annotated(annotationID, kit.Wrote(userID, "I am here."))))
	page := kit.Judgments(env, map[string]any{"organizationId": "acme", "annotationId": annotationID})
	require.Len(env.T, page.Results, 1)
	who := page.Results[0].ActionUser
	require.Equal(env.T, userID, who.UserID)
	if who.Email == nil {
		return []any{who.Name, nil}
	}
	return []any{who.Name, *who.Email}
}

// The last element of a user counts as a whole, and there is one entry.
func TestUsersAddAndUpdate_TheLastElementOfAUserCounts(t *testing.T) {
	env := newWorkspace(t)
	env.Call(client.UpdateSettings, map[string]any{"defaultDocumentAccessType": "organizationPrivate"}, nil)
	role := func(role, name string) map[string]any {
		return map[string]any{"userId": "ann", "accessRole": role, "name": name}
	}
	added := kit.Items(env, client.AddUsers, kit.Acme(nil, kit.User("ann", "First", "first@example.com"), role("viewer", "Second"), kit.Users("bob")[0], role("editor", "Third")))
	require.Len(t, added, 2)
	require.True(t, added["ann"].Success && added["bob"].Success)
	require.Equal(t, []any{"Third", nil}, knownAs(env, "ann"))
	require.True(t, kit.MayWrite(env, "ann", "d"))
	for _, last := range []string{"viewer", "editor"} {
		first := map[string]string{"viewer": "editor", "editor": "viewer"}[last]
		updated := kit.Items(env, client.UpdateUsers, kit.Acme(nil, role(first, "Not this"), kit.Users("unknown")[0], kit.Users("unknown")[0], role(last, "By "+last)))
		require.Len(t, updated, 2)
		require.Equal(t, []any{true, redline.ItemCodeNotFound}, []any{updated["ann"].Success, updated["unknown"].Code})
		require.Equal(t, last == "editor", kit.MayWrite(env, "ann", "d"), last)
		require.Equal(t, []any{"By " + last, nil}, knownAs(env, "ann"))
	}
	kit.Items(env, client.UpdateUsers, kit.Acme(nil, kit.User("ann", "Not this", "lost@example.com"), map[string]any{"userId": "ann", "name": "Last"}))
	require.Equal(t, []any{"Last", nil}, knownAs(env, "ann"))
}

// null clears what is known in an update and is as if absent in an add.
func TestUsersAddAndUpdate_Nulls(t *testing.T) {
	env := newWorkspace(t)
	nulls := map[string]any{"name": nil, "email": nil, "initial": nil, "photoUrl": nil, "accessRole": nil, "team": nil}
	of := func(userID string) map[string]any {
		element := maps.Clone(nulls)
		element["userId"] = userID
		return element
	}
	known := []any{"Ann", "ann@example.com"}
	kit.Items(env, client.AddUsers, kit.Acme(nil, kit.User("ann", "Ann", "ann@example.com")))
	require.Equal(t, known, knownAs(env, "ann"))
	require.True(t, kit.Items(env, client.AddUsers, kit.Acme(nil, of("ann")))["ann"].Success)
	require.Equal(t, known, knownAs(env, "ann"), "nothing was sent")
	require.True(t, kit.Items(env, client.AddUsers, kit.Acme(nil, of("new")))["new"].Success)
	require.Equal(t, []any{"new", nil}, knownAs(env, "new"))
	kit.Items(env, client.UpdateUsers, kit.Acme(nil, map[string]any{"userId": "ann", "email": nil}))
	require.Equal(t, []any{"Ann", nil}, knownAs(env, "ann"), "the name was not sent")
	kit.Items(env, client.UpdateUsers, kit.Acme(nil, map[string]any{"userId": "ann", "email": "again@example.com", "name": nil}))
	require.Equal(t, []any{"ann", "again@example.com"}, knownAs(env, "ann"))
	kit.Items(env, client.UpdateUsers, kit.Acme(nil, map[string]any{"userId": "ann", "name": nil, "email": nil}))
	require.Equal(t, []any{"ann", nil}, knownAs(env, "ann"))
}

// An update or a delete at a folder is of the grant there and of no other.
func TestUsersUpdateAndDelete_AtAFolder(t *testing.T) {
	env := newWorkspace(t)
	folder := func(id string) map[string]any { return map[string]any{"folderId": id} }
	making := func(id string) map[string]any { return map[string]any{"folderId": id, "createFolder": true} }
	viewer := map[string]any{"userId": "ann", "accessRole": "viewer"}
	update := func(level map[string]any) string {
		return string(kit.Items(env, client.UpdateUsers, kit.Acme(level, viewer))["ann"].Code)
	}
	remove := func(level map[string]any) string {
		data := kit.Acme(level)
		delete(data, "users")
		data["userIds"] = []string{"ann", "ann"}
		removed := kit.Items(env, client.DeleteUsers, data)
		require.Len(t, removed, 1)
		return string(removed["ann"].Code)
	}
	kit.Items(env, client.AddUsers, kit.Acme(making("f"), kit.Users("bob")...))
	require.Equal(t, "not-found", update(folder("f")), "without a profile")
	kit.Items(env, client.AddUsers, kit.Acme(nil, kit.Users("ann")...))
	require.Equal(t, "not-member", update(folder("f")))
	require.Equal(t, "not-found", update(folder("unknown")))
	require.Equal(t, "not-found", remove(folder("unknown")))
	require.Equal(t, "not-found", remove(folder("f")))
	for _, id := range []string{"f", "g"} {
		kit.Items(env, client.AddUsers, kit.Acme(making(id), kit.Users("ann")...))
		require.Empty(t, update(folder(id)))
	}
	require.Empty(t, remove(folder("f")))
	require.Equal(t, "not-member", update(folder("f")))
	require.Equal(t, "not-found", remove(folder("f")), "it is gone")
	require.Empty(t, update(folder("g")), "another folder's")
	require.Empty(t, update(nil), "the organization's")
	require.Equal(t, "Name of ann", knownAs(env, "ann")[0], "the profile stays")
	require.Empty(t, remove(nil))
	require.Equal(t, "not-found", update(folder("g")), "the organization's takes all")
	kit.Items(env, client.AddUsers, kit.Acme(nil, kit.Users("ann")...))
	require.Equal(t, "not-member", update(folder("g")), "no old grant comes back")
}

// Who was added to one document only is judged elsewhere as anybody would be.
func TestUsersAdd_3_ADocumentsUserAtOtherDocuments(t *testing.T) {
	env := newWorkspace(t)
	viewer := map[string]any{"userId": "ann", "accessRole": "viewer"}
	kit.Items(env, client.AddUsers, kit.Acme(nil, kit.Users("member")...))
	for access, elsewhere := range map[string]bool{"public": true, "organizationPrivate": false, "restricted": false} {
		env.Call(client.UpdateSettings, map[string]any{"defaultDocumentAccessType": access}, nil)
		own, other := access+" own", access+" other"
		kit.Annotate(env, kit.Made(other, kit.Annotated(kit.Unique("note"), kit.Wrote("member", "a"))))
		level := map[string]any{"documentId": own, "createDocument": true}
		kit.Items(env, client.AddUsers, kit.Acme(level, kit.Users("eve")...))
		kit.Items(env, client.AddUsers, kit.Acme(level, viewer))
		require.Equal(t, []bool{true, elsewhere}, []bool{kit.MayWrite(env, "eve", own), kit.MayWrite(env, "eve", other)}, access)
		require.Equal(t, []bool{false, elsewhere}, []bool{kit.MayWrite(env, "ann", own), kit.MayWrite(env, "ann", other)}, "a viewer there, "+access)
		require.True(t, kit.MayWrite(env, "member", other), access)
	}
}
