package console

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit"
)

// oddOrganization and oddDocument are ids with an emoji and right-to-left marks.
const oddOrganization, oddDocument = "acme \u202e🦊 & co", "\u200fמכתב/7?x=1#y"

// withDocument makes the organization and the document.
func withDocument(env *kit.Env) {
	env.Call("organizations/add", map[string]any{"organizations": []any{map[string]any{"organizationId": oddOrganization, "organizationName": "Acme <i>"}}}, nil)
	env.Call("organizations/documents/add", map[string]any{"organizationId": oddOrganization, "documents": []any{map[string]any{"documentId": oddDocument, "documentName": "Letter"}}}, nil)
}

func comment(text string) map[string]any {
	return map[string]any{"commentText": text, "from": map[string]any{"userId": "u_<b>", "name": "Bea <b>"}}
}

// Links lead through ids of any script to the thread, in which somebody replies and which they resolve.
func TestDocuments_OddIDsRepliedAndResolved(t *testing.T) {
	env := kit.NewWorkspace(t)
	withDocument(env)
	env.Call("commentannotations/add", map[string]any{"organizationId": oddOrganization, "documentId": oddDocument, "commentAnnotations": []any{
		map[string]any{"annotationId": "a1", "commentData": []any{comment("<script>alert(1)</script>")}},
	}}, nil)
	v := kit.Visit(env)
	shown := v.Open(v.Open("/organizations").Links("Acme <i>")[0])
	require.Contains(t, shown.Text(), oddDocument)
	shown = v.Open(shown.Links("Letter")[0])
	require.Contains(t, shown.Text(), "<script>alert(1)</script>")
	thread := shown.Links("1 comment")[0]
	require.Contains(t, v.Open(thread).Text(), "Bea <b>")
	of := []string{"organization", oddOrganization, "document", oddDocument, "id", "a1"}
	shown = v.Submit("/thread/reply", append(of, "text", "I see \u202eyou", "actorId", "u_ann")...)
	require.Contains(t, shown.Text(), "I see \u202eyou")
	require.Contains(t, v.Submit("/thread/resolve", append(of, "resolved", "true", "actorId", "u_ann")...).Text(), "resolved by u_ann")
	require.NotContains(t, v.Submit("/thread/resolve", append(of, "resolved", "false", "actorId", "u_ann")...).Text(), "resolved by")
	require.Equal(t, http.StatusBadRequest, v.Submit("/thread/reply", append(of, "text", "who am I?")...).Code)
}

// A thread of 1,000 comments is read page by page, each comment once.
func TestThread_OfAThousandComments(t *testing.T) {
	env := kit.NewWorkspace(t)
	withDocument(env)
	var comments []any
	for i := range 1000 {
		comments = append(comments, comment(fmt.Sprintf("comment-%04d", i)))
	}
	env.Call("commentannotations/add", map[string]any{"organizationId": oddOrganization, "documentId": oddDocument, "commentAnnotations": []any{
		map[string]any{"annotationId": "long", "commentData": comments[:1]},
	}}, nil)
	for begin := 1; begin < len(comments); begin += 100 {
		env.Call("commentannotations/comments/add", map[string]any{
			"organizationId": oddOrganization, "documentId": oddDocument, "annotationId": "long", "commentData": comments[begin:min(begin+100, len(comments))],
		}, nil)
	}
	v := kit.Visit(env)
	shown := v.Open("/document", "organization", oddOrganization, "id", oddDocument)
	require.Contains(t, shown.Text(), "1000 comments")
	require.Less(t, len(shown.Body), 64<<10, "a document shows the beginning of its threads")
	shown = v.Open(shown.Links("The whole thread")[0])
	var seen strings.Builder
	seen.WriteString(shown.Text())
	for next := shown.Links("Next page"); len(next) > 0; next = shown.Links("Next page") {
		shown = v.Open(next[0])
		seen.WriteString(shown.Text())
	}
	whole := seen.String()
	for i := range 1000 {
		require.Equal(t, 1, strings.Count(whole, fmt.Sprintf("comment-%04d", i)), i)
	}
}

func TestDocuments_OfAnotherWorkspaceAreNotThere(t *testing.T) {
	env := kit.NewWorkspace(t)
	withDocument(env)
	v := kit.Visit(kit.NewWorkspaceAt(t, kit.Shared.URL()))
	require.Contains(t, v.Open("/organizations").Text(), "No organization yet.")
	for _, address := range []string{"/documents", "/document", "/thread", "/people"} {
		shown := v.Open(address, "organization", oddOrganization, "document", oddDocument, "id", oddDocument)
		require.NotContains(t, shown.Text(), "Letter", address)
		if address == "/document" || address == "/thread" {
			require.Equal(t, http.StatusNotFound, shown.Code, address)
		}
	}
}

// Folders are made and renamed where they are looked at.
func TestDocuments_FoldersAreMadeAndRenamed(t *testing.T) {
	env := kit.NewWorkspace(t)
	withDocument(env)
	v := kit.Visit(env)
	of := []string{"organization", oddOrganization}
	require.Contains(t, v.Submit("/folder/add", append(of, "newFolder", "season <b>", "name", "Seasons & 🌱")...).Text(), "Seasons & 🌱")
	within := []string{"organization", oddOrganization, "folder", "season <b>"}
	shown := v.Submit("/folder/add", append(within, "newFolder", "spring")...)
	require.Len(t, shown.Links("spring"), 1)
	require.Contains(t, v.Submit("/folder/rename", append(within, "name", "All seasons")...).Text(), "All seasons")
	require.Contains(t, v.Open("/documents", of...).Text(), "All seasons")
	again := v.Submit("/folder/add", append(of, "newFolder", "spring")...)
	require.Equal(t, http.StatusBadRequest, again.Code)
	require.Regexp(t, `already-exists.* Request req_[a-z0-9]{26}`, strings.ReplaceAll(again.Text(), "\n", " "), "as the interface said it of the one folder")
}

// Folders and groups have pages of their own beside documents and users.
func TestDocuments_FoldersAndGroupsPageByCursor(t *testing.T) {
	env := kit.NewWorkspace(t)
	withDocument(env)
	var folders, groups []any
	for i := range 53 {
		id := fmt.Sprintf("n-%02d-", i)
		folders = append(folders, map[string]any{"folderId": id})
		groups = append(groups, map[string]any{"groupId": id, "groupName": id})
	}
	env.Call("organizations/folders/add", map[string]any{"organizationId": oddOrganization, "folders": folders}, nil)
	env.Call("organizations/usergroups/add", map[string]any{"organizationId": oddOrganization, "organizationUserGroups": groups}, nil)
	v := kit.Visit(env)
	for address, more := range map[string]string{"/documents": "More folders", "/people": "More groups"} {
		first := v.Open(address, "organization", oddOrganization)
		require.Len(t, first.Links(more), 1, address)
		second := v.Open(strings.TrimSuffix(first.Links(more)[0], "#h-groups"))
		require.Empty(t, second.Links(more), address)
		for i := range 53 {
			require.Contains(t, first.Text()+second.Text(), fmt.Sprintf("n-%02d-", i), address)
		}
	}
}

// Groups are made, filled, emptied and deleted.
func TestPeople_GroupsAreChanged(t *testing.T) {
	env := kit.NewWorkspace(t)
	withDocument(env)
	env.Call("users/add", map[string]any{"organizationId": oddOrganization, "users": []any{map[string]any{"userId": "u_ann", "name": "Ann"}}}, nil)
	v := kit.Visit(env)
	of := []string{"organization", oddOrganization, "group", "legal"}
	require.Contains(t, v.Submit("/group/add", append(of, "name", "Legal <i>")...).Text(), "Legal <i>")
	require.Contains(t, v.Submit("/group/join", append(of, "user", "u_ann")...).Text(), "Added to the group.")
	require.Regexp(t, `legal 1 `, v.Open("/people", of...).Text())
	require.Equal(t, http.StatusBadRequest, v.Submit("/group/leave", append(of, "user", "u_nobody")...).Code)
	require.Contains(t, v.Submit("/group/leave", append(of, "user", "u_ann")...).Text(), "Taken out of the group.")
	require.Regexp(t, `legal 0 `, v.Open("/people", of...).Text())
	require.Contains(t, v.Submit("/group/delete", of...).Text(), "No group yet.")
}

// The access of a person to a document is explained.
func TestPeople_AccessIsExplained(t *testing.T) {
	env := kit.NewWorkspace(t)
	withDocument(env)
	env.Call("users/add", map[string]any{"organizationId": oddOrganization, "users": []any{map[string]any{"userId": "u_ann", "name": "Ann", "accessRole": "viewer"}}}, nil)
	env.Call("organizations/usergroups/add", map[string]any{"organizationId": oddOrganization, "organizationUserGroups": []any{map[string]any{"groupId": "legal", "groupName": "Legal"}}}, nil)
	shown := kit.Visit(env).Open("/people", "organization", oddOrganization, "document", "", "user", "u_ann")
	for _, words := range []string{"Ann", "What u_ann may do", "viewer", "Legal"} {
		require.Contains(t, shown.Text(), words)
	}
}
