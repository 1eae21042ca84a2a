package api_test

import (
	"fmt"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

// personData is a page of users/data/get as far as tests look at it.
type personData struct {
	Data struct {
		Comments []struct {
			CommentID                          int64
			AnnotationID, DocumentID, Relation string
			CommentText                        string
		}
		Notifications []struct{ ID string }
		Activities    []struct{ ID string }
		Grants        []struct {
			Type, ID, AccessRole string
			ExpiresAt            *int64
		}
	}
	NextPageToken *string
}

// dataOf reads a page of what is kept of a person.
func dataOf(env *kit.Env, user string, token *string) (page personData) {
	env.T.Helper()
	env.Call(client.GetUserData, kit.InAcme(map[string]any{"userId": user, "pageToken": token}), &page)
	return page
}

// walkData reads all pages and returns how many there were, and the comments, each by its text.
func walkData(env *kit.Env, user string) (pages int, texts, notices []string) {
	env.T.Helper()
	for token := (*string)(nil); ; {
		page := dataOf(env, user, token)
		for _, c := range page.Data.Comments {
			texts = append(texts, c.CommentText)
		}
		for _, n := range page.Data.Notifications {
			notices = append(notices, n.ID)
		}
		if pages++; page.NextPageToken == nil {
			return pages, texts, notices
		}
		token = page.NextPageToken
	}
}

func TestUsersDataGet_1_EachKindWalksByItself(t *testing.T) {
	env := newWorkspace(t)
	kit.ThreeNotices(env)
	want := len(kit.Notices(env, kit.ForUser("bob")))
	require.Equal(t, 3, want)
	_, before, _ := walkData(env, "bob")
	for thread := range 5 {
		var comments []map[string]any
		for i := range 50 {
			comments = append(comments, kit.Wrote("bob", fmt.Sprintf("%d-%02d", thread, i)))
		}
		kit.Annotate(env, kit.Made("many", kit.Annotated(fmt.Sprint("t", thread), comments...)))
	}
	pages, texts, notices := walkData(env, "bob")
	require.Equal(t, 3, pages)
	require.Len(t, notices, 3)
	require.Len(t, texts, 250+len(before))
	require.Equal(t, "4-49", texts[0], "the newest first")
	slices.Sort(texts)
	require.Len(t, slices.Compact(texts), 250+len(before), "nothing twice")
}

func TestUsersDataGet_2_WhatIsAddedMeanwhileShiftsNothing(t *testing.T) {
	env := newWorkspace(t)
	for i := range 150 {
		kit.Annotate(env, kit.Made("d", kit.Annotated(fmt.Sprint("a", i), kit.Wrote("bob", strconv.Itoa(i)))))
	}
	first := dataOf(env, "bob", nil)
	require.Len(t, first.Data.Comments, 100)
	kit.Annotate(env, kit.Made("d", kit.Annotated("new", kit.Wrote("bob", "new"))))
	second := dataOf(env, "bob", first.NextPageToken)
	require.Len(t, second.Data.Comments, 50)
	require.Equal(t, []string{"50", "49"}, []string{first.Data.Comments[99].CommentText, second.Data.Comments[0].CommentText})
	require.Nil(t, second.NextPageToken)
}

func TestUsersDataGet_3_NothingPrivateToOthers(t *testing.T) {
	env := newWorkspace(t)
	kit.Annotate(env, kit.Made("d",
		kit.VisibleTo(kit.Annotated("hidden", kit.Wrote("ann", "Not for {{bob}}")), "eve"),
		kit.VisibleTo(kit.Annotated("shared", kit.Wrote("ann", "For {{bob}}")), "bob"),
		kit.Annotated("open", kit.Wrote("ann", "Look, {{bob}}"), kit.Wrote("ann", "nobody"), kit.Wrote("bob", "I am {{bob}}"))))
	kit.Items(env, client.AddDocuments, kit.Document("closed", map[string]any{"accessType": "restricted"}))
	kit.Annotate(env, kit.Made("closed", kit.Annotated("shut", kit.Wrote("ann", "Behind a door, {{bob}}"))))
	page := dataOf(env, "bob", nil)
	var found []string
	for _, c := range page.Data.Comments {
		found = append(found, c.DocumentID+" "+c.AnnotationID+" "+c.Relation+": "+c.CommentText)
	}
	require.Equal(t, []string{"d shared mentioned: For {{bob}}", "d open author: I am {{bob}}", "d open mentioned: Look, {{bob}}"}, found)
}

func TestUsersDataGet_GrantsAndStrangers(t *testing.T) {
	env := newWorkspace(t)
	env.Call(client.AddUsers, kit.InAcme(map[string]any{"users": []any{map[string]any{"userId": "bob", "accessRole": "viewer"}}}), nil)
	env.Call(client.AddUsers, kit.InAcme(map[string]any{"users": []any{map[string]any{"userId": "bob"}}, "documentId": "d", "createDocument": true}), nil)
	kit.Items(env, client.AddFolders, kit.AcmeWith("folders", []any{kit.Folder("f")}))
	kit.Grant(env, "bob", kit.Resource("folder", "f"))
	kit.AddActivities(env, "d", kit.Activity("bob", "x", kit.Identified("1")), kit.Activity("ann", "x", kit.Identified("2")))
	page := dataOf(env, "bob", nil)
	require.Len(t, page.Data.Activities, 1)
	require.Equal(t, "1", page.Data.Activities[0].ID)
	var grants []string
	for _, g := range page.Data.Grants {
		require.Nil(t, g.ExpiresAt)
		grants = append(grants, g.Type+" "+g.ID+" "+g.AccessRole)
	}
	require.Equal(t, []string{"folder f editor", "document d editor", "organization acme viewer"}, grants, "the newest first")

	body := kit.InAcme(map[string]any{"userId": "nobody"})
	for _, unknown := range []map[string]any{{}, {"organizationId": "nowhere"}} {
		var answer struct{ Data map[string][]any }
		env.Call(client.GetUserData, kit.With(body, unknown), &answer)
		require.Equal(t, map[string][]any{"comments": {}, "notifications": {}, "activities": {}, "grants": {}}, answer.Data)
	}
	require.Equal(t, []string{"pageToken"}, env.RefusedAs("INVALID_ARGUMENT", client.GetUserData, kit.With(body, map[string]any{"pageToken": "none"})).Issues[0].Path)
}
