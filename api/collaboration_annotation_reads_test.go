package api_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestAnnotationsGet_1to3_Slots(t *testing.T) {
	env := newWorkspace(t)
	for _, name := range []string{"d", "e"} {
		kit.Annotate(env, kit.Made(name, kit.Annotated(name+"1", kit.Wrote("ann", "a")), kit.Annotated(name+"2", kit.Wrote("bob", "b"))))
	}
	slots := func(documentID string, more map[string]any) []string {
		var ids []string
		for _, item := range kit.Older[[]*redline.Annotation](env, kit.GetAnnotations, kit.Doc(documentID, more)).Data {
			if item == nil {
				ids = append(ids, "-")
				continue
			}
			ids = append(ids, item.AnnotationID)
		}
		return ids
	}
	require.Equal(t, []string{"d2", "-", "d1", "-"}, slots("d", map[string]any{"annotationIds": []string{"d2", "e1", "d1", "x", "d2"}}), "(2)")
	require.Equal(t, []string{"-", "d1"}, slots("d", map[string]any{"annotationIds": []string{"d2", "d1"}, "userIds": []string{"ann"}}))
	require.Equal(t, []string{"-"}, slots("unknown", map[string]any{"annotationIds": []string{"d2"}}), "(3)")
	require.Empty(t, slots("unknown", nil), "(3)")
	require.Equal(t, []string{"d1"}, slots("d", map[string]any{"userIds": []string{"ann", "eve"}}))
	require.Len(t, slots("d", map[string]any{"annotationIds": kit.Many(30)}), 30, "(1)")
	stranger := kit.Elsewhere(env)
	require.Empty(t, kit.Older[[]*redline.Annotation](stranger, kit.GetAnnotations, kit.Doc("d")).Data)
}

func TestAnnotationsGet_4and5_PagesLocationsAndPrivateOnes(t *testing.T) {
	env := newWorkspace(t)
	var notes []map[string]any
	for i := range 10 {
		n := kit.Annotated(fmt.Sprint("a", i), kit.Wrote("ann", "a", map[string]any{"lastUpdated": 1000 + i/2}))
		n["location"] = map[string]any{"id": fmt.Sprint("page ", i%2)}
		notes = append(notes, n)
	}
	hidden := kit.Annotated("hidden", kit.Wrote("bob", "b", map[string]any{"lastUpdated": 1}))
	hidden["visibility"] = map[string]any{"type": "restricted", "userIds": []string{"cat"}}
	kit.Annotate(env, kit.Made("d", append(notes, hidden)...))
	data := kit.Doc("d", map[string]any{"pageSize": 3})
	var seen []string
	for {
		page := kit.Older[[]redline.Annotation](env, kit.GetAnnotations, data)
		for _, item := range page.Data {
			seen = append(seen, item.AnnotationID)
		}
		if page.NextPageToken == "" {
			break
		}
		data["pageToken"] = page.NextPageToken
	}
	require.Equal(t, []string{"a8", "a9", "a6", "a7", "a4", "a5", "a2", "a3", "a0", "a1", "hidden"}, seen, "latest change first, ties by id")
	data["locationIds"] = []string{"page 1"}
	kit.OlderRefused(env, "INVALID_ARGUMENT", kit.GetAnnotations, data)
	delete(data, "pageToken")
	require.Len(t, kit.Older[[]redline.Annotation](env, kit.GetAnnotations, data).Data, 3)
	require.Len(t, kit.Older[[]redline.Annotation](env, kit.GetAnnotations, kit.Doc("d", map[string]any{"userIds": []string{"bob"}})).Data, 1)
	require.Empty(t, kit.Older[[]redline.Annotation](env, kit.GetAnnotations, kit.Doc("d", map[string]any{"userIds": []string{"cat"}})).Data, "no author of any")
}

// A page ends by what is written of it: here names and numbers, hardly any text.
func TestAnnotationsGet_APageEndsByWhatIsWritten(t *testing.T) {
	env := newWorkspace(t)
	kit.AddPeople(env, map[string]any{"userId": "ann", "name": characters(200), "email": kit.Mailbox()})
	want := []string{}
	for range 3 {
		notes := make([]map[string]any, 40)
		for i := range notes {
			thread := make([]map[string]any, 100)
			for j := range thread {
				thread[j] = kit.Wrote("ann", "a")
			}
			notes[i] = kit.Annotated(fmt.Sprintf("a%03d", len(want)), thread...)
			want = append(want, fmt.Sprintf("a%03d", len(want)))
		}
		kit.Annotate(env, kit.Made("d", notes...))
	}
	data, pages := kit.Doc("d"), 0
	seen := []string{}
	for more := true; more; pages++ {
		reply := kit.OlderReply(env, kit.GetAnnotations, data)
		require.LessOrEqual(t, len(reply.Body), 8<<20)
		var page struct {
			Result kit.PagedView[[]redline.Annotation]
		}
		require.NoError(t, json.Unmarshal(reply.Body, &page))
		if more = page.Result.NextPageToken != ""; more {
			require.Greater(t, len(reply.Body), 7<<20, "not much earlier than it has to")
		}
		for _, a := range page.Result.Data {
			require.Len(t, a.Comments, 100)
			seen = append(seen, a.AnnotationID)
		}
		data["pageToken"] = page.Result.NextPageToken
	}
	require.ElementsMatch(t, want, seen, "complete, each once")
	require.Greater(t, pages, 1)
}

func TestCommentsGet_1to5(t *testing.T) {
	env := newWorkspace(t)
	all := make([]map[string]any, 100)
	for i := range all {
		all[i] = kit.Wrote([]string{"ann", "bob"}[i%2], strconv.Itoa(i), map[string]any{"commentId": 1000 - i})
	}
	private := kit.Annotated("private", kit.Wrote("ann", "a"), kit.Wrote("bob", "b"))
	private["visibility"] = map[string]any{"type": "restricted", "userIds": []string{"cat"}}
	kit.Annotate(env, kit.Made("d", kit.Annotated("a", all...), kit.Annotated("b", kit.Wrote("ann", "a", map[string]any{"commentId": 5})), private))
	get := func(annotationID string, more map[string]any) kit.PagedView[[]*redline.ThreadComment] {
		data := kit.Doc("d", more)
		data["annotationId"] = annotationID
		return kit.Older[[]*redline.ThreadComment](env, kit.GetComments, data)
	}
	for _, more := range []map[string]any{{}, {"userIds": []string{}}} {
		thread := get("a", more).Data
		require.Len(t, thread, 100)
		for i, c := range thread {
			require.Equal(t, strconv.Itoa(i), c.CommentText, "in the order sent, whatever the ids")
		}
	}
	require.Len(t, get("a", map[string]any{"userIds": []string{"bob"}}).Data, 50)
	slots := get("a", map[string]any{"commentIds": []int64{990, 5, 1000, 990}}).Data
	require.Equal(t, int64(990), slots[0].CommentID)
	require.Nil(t, slots[1], "(2)")
	require.Equal(t, int64(1000), slots[2].CommentID)
	require.Len(t, slots, 3)
	page := get("a", map[string]any{"pageSize": 60})
	require.Len(t, page.Data, 60)
	rest := get("a", map[string]any{"pageSize": 60, "pageToken": page.NextPageToken})
	require.Len(t, rest.Data, 40)
	require.Empty(t, rest.NextPageToken)
	require.Nil(t, get("unknown", nil).Data)
	require.Nil(t, get("private", map[string]any{"userIds": []string{"bob"}}).Data, "(4)")
	require.NotNil(t, get("private", map[string]any{"userIds": []string{"cat"}}).Data)
	require.Len(t, get("private", map[string]any{"userIds": []string{"ann"}}).Data, 1)
	other := kit.Doc("e", map[string]any{"annotationId": "a"})
	require.Nil(t, kit.Older[[]*redline.ThreadComment](env, kit.GetComments, other).Data, "in another document")
}

func TestCount_1to6(t *testing.T) {
	env := newWorkspace(t)
	hidden := kit.Annotated("hidden", kit.Wrote("ann", "a"))
	hidden["visibility"] = map[string]any{"type": "restricted", "userIds": []string{"bob"}}
	closed := kit.Annotated("closed", kit.Wrote("ann", "a"))
	closed["status"] = map[string]any{"id": "DONE", "name": "Done", "type": "terminal", "color": "#000", "lightColor": "#fff", "iconUrl": "x"}
	kit.Annotate(env, kit.Made("d",
		kit.Annotated("own", kit.Wrote("ann", "a", map[string]any{"createdAt": 1})), kit.Annotated("answered", kit.Wrote("ann", "a"), kit.Wrote("bob", "b", map[string]any{"createdAt": 1})),
		hidden, closed))
	require.Equal(t, [2]int{3, 3}, kit.Counts(env, "never seen", "d")["d"], "(1)")
	require.Equal(t, map[string][2]int{"d": {4, 1}, "x": {0, 0}}, kit.Counts(env, "ann", "d", "x", "d"), "(2) and (3)")
	require.Equal(t, [2]int{4, 3}, kit.Counts(env, "bob", "d")["d"], "(4)")
	data := map[string]any{"organizationId": "acme", "documentIds": []string{"d"}, "userId": "bob", "statusIds": []string{"DONE", "OTHER"}}
	require.Equal(t, map[string]map[string]int{"d": {"total": 1, "unread": 1}}, kit.Older[map[string]map[string]int](env, kit.CountNotes, data).Data)
	data["organizationId"] = "unknown"
	require.Equal(t, map[string]map[string]int{"d": {"total": 0, "unread": 0}}, kit.Older[map[string]map[string]int](env, kit.CountNotes, data).Data)
	for _, missing := range []string{"documentIds", "userId", "organizationId"} {
		data := map[string]any{"organizationId": "acme", "documentIds": []string{"d"}, "userId": "bob"}
		delete(data, missing)
		kit.OlderRefused(env, "INVALID_ARGUMENT", kit.CountNotes, data)
	}
}

// The two counts are one operation: whatever is asked, they answer the same.
func TestCount_BothAnswerAlike(t *testing.T) {
	env := newWorkspace(t)
	hidden := kit.Annotated("hidden", kit.Wrote("ann", "a"))
	hidden["visibility"] = map[string]any{"type": "restricted", "userIds": []string{"bob"}}
	kit.Annotate(env, kit.Made("d", kit.Annotated("open", kit.Wrote("ann", "a")), kit.Annotated("answered", kit.Wrote("ann", "a"), kit.Wrote("bob", "b")), hidden))
	kit.Annotate(env, kit.Made("e", kit.Annotated("other", kit.Wrote("bob", "a"))))
	of := func(user string, more map[string]any) map[string]any {
		data := map[string]any{"organizationId": "acme", "documentIds": []string{"e", "d", "unknown", "d"}, "userId": user}
		maps.Copy(data, more)
		return data
	}
	for want, data := range map[string]map[string]any{
		`"d":{"total":3,"unread":1}`: of("ann", nil), `"d":{"total":3,"unread":2}`: of("bob", nil), `"d":{"total":2,"unread":2}`: of("cat", nil),
		`"d":{"total":0,"unread":0}`: of("ann", map[string]any{"statusIds": []string{"DONE"}}),
		`"unknown":{"total":0`:       of("ann", map[string]any{"organizationId": "unknown"}),
		`"documentIds"`:              of("ann", map[string]any{"documentIds": kit.Many(31)}),
		`"statusIds"`:                of("ann", map[string]any{"statusIds": kit.Many(101)}),
		`"userId"`:                   of("", nil),
		`"organizationId"`:           of("ann", map[string]any{"organizationId": nil}),
	} {
		first, second := kit.OlderReply(env, kit.CountNotes, data), kit.OlderReply(env, kit.CountAgain, data)
		require.Equal(t, []any{first.HTTP, string(first.Body)}, []any{second.HTTP, string(second.Body)})
		require.Contains(t, string(second.Body), want)
	}
}

// The documents of one count are judged each by itself, also for what is
// visible to the user alone.
func TestCount_ByTheAccessToEachDocument(t *testing.T) {
	env := newWorkspace(t)
	env.Call(client.UpdateSettings, map[string]any{"defaultDocumentAccessType": "restricted"}, nil)
	own := kit.Annotated("own", kit.Wrote("bob", "a"))
	own["visibility"] = map[string]any{"type": "restricted", "userIds": []string{"ann"}}
	note := func() map[string]any { return map[string]any{"commentData": []any{kit.Wrote("bob", "a")}} }
	kit.Annotate(env, kit.Made("d", note(), note()))
	kit.Annotate(env, kit.Made("e", note(), note(), note(), own))
	require.Equal(t, map[string][2]int{"d": {}, "e": {}}, kit.Counts(env, "ann", "d", "e"), "a grant is needed, not to be named")
	kit.Items(env, client.AddUsers, map[string]any{"organizationId": "acme", "documentId": "d", "users": kit.Users("ann")})
	require.Equal(t, map[string][2]int{"d": {2, 2}, "e": {}}, kit.Counts(env, "ann", "d", "e"))
	for user, role := range map[string]string{"ed": "editor", "vic": "viewer"} {
		kit.Items(env, client.AddUsers, map[string]any{"organizationId": "acme", "users": []map[string]any{{"userId": user, "accessRole": role}}})
		require.Equal(t, map[string][2]int{"d": {2, 2}, "e": {3, 3}}, kit.Counts(env, user, "e", "d"), role)
	}
	kit.Items(env, client.AddUsers, map[string]any{"organizationId": "acme", "documentId": "e", "users": kit.Users("ann")})
	require.Equal(t, map[string][2]int{"d": {2, 2}, "e": {4, 4}}, kit.Counts(env, "ann", "d", "e"))
}

func TestReads_AsManyIDsAsTheirLimits(t *testing.T) {
	env := newWorkspace(t)
	kit.Annotate(env, kit.Made("d", kit.Annotated("a", kit.Wrote("ann", "a"))))
	commentIDs := make([]int, 1001)
	for i := range commentIDs {
		commentIDs[i] = i + 1
	}
	comments := kit.Doc("d", map[string]any{"annotationId": "a"})
	count := map[string]any{"organizationId": "acme", "documentIds": []string{"d"}, "userId": "bob"}
	for _, row := range []struct {
		path       string
		data       map[string]any
		field      string
		most, over any
	}{
		{kit.GetAnnotations, kit.Doc("d"), "annotationIds", kit.Many(30), kit.Many(31)},
		{kit.GetAnnotations, kit.Doc("d"), "locationIds", kit.Many(30), kit.Many(31)},
		{kit.GetAnnotations, kit.Doc("d"), "userIds", kit.Many(30), kit.Many(31)},
		{kit.GetComments, comments, "userIds", kit.Many(30), kit.Many(31)},
		{kit.GetComments, comments, "commentIds", commentIDs[:1000], commentIDs},
		{kit.CountNotes, count, "documentIds", kit.Many(30), kit.Many(31)},
		{kit.CountNotes, count, "statusIds", kit.Many(100), kit.Many(101)},
		{kit.CountAgain, count, "documentIds", kit.Many(30), kit.Many(31)},
	} {
		data := maps.Clone(row.data)
		data[row.field] = row.most
		kit.Older[json.RawMessage](env, row.path, data)
		data[row.field] = row.over
		failure := kit.OlderRefused(env, "INVALID_ARGUMENT", row.path, data)
		require.Equal(t, []string{row.field}, failure.Issues[0].Path, row.path)
	}
	count["documentIds"] = []string{}
	kit.OlderRefused(env, "INVALID_ARGUMENT", kit.CountNotes, count)
}

func TestSettingsGateTheOperationsOnComments(t *testing.T) {
	env := newWorkspace(t)
	kit.Annotate(env, kit.Made("d", kit.Annotated("a", kit.Wrote("ann", "a"))))
	env.Call(client.UpdateSettings, map[string]any{"enableAdvancedQueries": false, "enablePrivateComments": false, "requireAutoOrgUser": true}, nil)
	for path, data := range map[string]map[string]any{
		kit.GetComments: kit.Doc("d", map[string]any{"annotationId": "a"}),
		kit.CountNotes:  {"organizationId": "acme", "documentIds": []string{"d"}, "userId": "ann"},
		kit.CountAgain:  {"organizationId": "acme", "documentIds": []string{"d"}, "userId": "ann"},
	} {
		require.Equal(t, redline.ErrorDetailsReasonAdvancedQueriesDisabled, kit.OlderRefused(env, "FAILED_PRECONDITION", path, data).Reason)
	}
	unreadable := kit.Doc("d", map[string]any{"annotationId": "a", "pageToken": "none"})
	require.Equal(t, []string{"pageToken"}, kit.OlderRefused(env, "INVALID_ARGUMENT", kit.GetComments, unreadable).Issues[0].Path, "the request is read first")
	require.Len(t, kit.Older[[]redline.Annotation](env, kit.GetAnnotations, kit.Doc("d")).Data, 1, "not one of the gated reads")
	private := kit.Annotated("b", kit.Wrote("ann", "a"))
	private["visibility"] = map[string]any{"type": "restricted", "userIds": []string{"bob"}}
	require.Equal(t, redline.ErrorDetailsReasonPrivateCommentsDisabled, env.RefusedAs("FAILED_PRECONDITION", client.AddAnnotations, kit.Made("d", private)).Reason)
	viewer := []map[string]any{{"userId": "ann", "accessRole": "viewer"}}
	require.Equal(t, redline.ItemCodeNotFound, kit.Items(env, client.UpdateUsers, map[string]any{"organizationId": "acme", "users": viewer})["ann"].Code)
	kit.Annotate(env, kit.Made("d", kit.Annotated("c", kit.Wrote("ann", "a"))))
	require.True(t, kit.Items(env, client.UpdateUsers, map[string]any{"organizationId": "acme", "users": viewer})["ann"].Success, "the author became a member")
}

func TestAnnotationsAdd_CommentsAreJudgments(t *testing.T) {
	env := newWorkspace(t)
	kit.Annotate(env, kit.Made("d", kit.Annotated("a", kit.Wrote("ann", "First."), kit.Wrote("bob", "Second."), kit.Wrote("bob", " "))))
	page := kit.Judgments(env, map[string]any{"organizationId": "acme", "annotationId": "a"})
	require.Equal(t, int64(2), page.Total)
	require.Equal(t, []any{"comment", "First.", 0.5, "comment"},
		[]any{page.Results[0].Decision, page.Results[0].Reasoning, page.Results[0].Confidence, page.Results[0].ContentType})
	require.Equal(t, "bob", page.Results[1].ActionUser.UserID)
	require.Equal(t, "d", *page.Results[1].DocumentID)
}

// How sure a comment is: a person's is half, an agent's is what it says of itself in percent,
// or else a little more than a person's.
func TestAnnotationsAdd_HowSureAComment(t *testing.T) {
	env := newWorkspace(t)
	by := func(more map[string]any) map[string]any {
		reason := map[string]any{"title": "t", "description": "d", "severity": "low"}
		maps.Copy(reason, more)
		return map[string]any{"agent": map[string]any{"agentSource": "external", "agentName": "Bot", "reason": reason}}
	}
	kit.Annotate(env, kit.Made("d", kit.Annotated("a", kit.Wrote("ann", "a person"), kit.Wrote("bot", "unsaid", by(nil)), kit.Wrote("bot", "said", by(map[string]any{"confidence": 90})),
		kit.Wrote("bot", "none", by(map[string]any{"confidence": 0})))))
	sure := map[string]float64{}
	for _, found := range kit.Judgments(env, kit.InAcme(map[string]any{"annotationId": "a"})).Results {
		sure[string(found.JudgeType+" ")+found.Reasoning] = found.Confidence
	}
	require.Equal(t, map[string]float64{"human a person": 0.5, "agent unsaid": 0.6, "agent said": 0.9, "agent none": 0}, sure)
}

// A page token is of its list, its workspace and its filters, and of no other.
func TestAnnotationsGet_TokensOfOthersAreRefused(t *testing.T) {
	env := newWorkspace(t)
	stranger := kit.Elsewhere(env)
	add := kit.Made("d", kit.Annotated("a", kit.Wrote("ann", "1"), kit.Wrote("ann", "2"), kit.Wrote("ann", "3")), kit.Annotated("b", kit.Wrote("ann", "1")))
	kit.Annotate(env, add)
	kit.Annotate(stranger, add)
	lists := map[string]map[string]any{
		kit.GetAnnotations: kit.Doc("d", map[string]any{"pageSize": 1}), kit.GetComments: kit.Doc("d", map[string]any{"annotationId": "a", "pageSize": 1}),
	}
	tokens := map[string]string{}
	for path, data := range lists {
		tokens[path] = kit.Older[json.RawMessage](env, path, data).NextPageToken
		require.NotEmpty(t, tokens[path])
	}
	for path, data := range lists {
		for other, token := range tokens {
			data["pageToken"] = token
			if path != other {
				kit.OlderRefused(env, "INVALID_ARGUMENT", path, data)
				continue
			}
			require.NotEmpty(t, kit.Older[[]json.RawMessage](env, path, data).Data)
			kit.OlderRefused(stranger, "INVALID_ARGUMENT", path, data)
			for _, damaged := range []string{token + "A", token[1:], token[:len(token)-1], string(token[0]^1) + token[1:], token + "\n"} {
				data["pageToken"] = damaged
				kit.OlderRefused(env, "INVALID_ARGUMENT", path, data)
			}
		}
	}
}

// A read made for the authors of annotations chooses by author and hides what they
// may not see; that a document is closed to them is no reason to hide it, as it is
// for the user for whom something is counted.
func TestAnnotationReads_AuthorsOfDocumentsThatAreClosedToThem(t *testing.T) {
	env := newWorkspace(t)
	env.Call(client.UpdateSettings, map[string]any{"defaultDocumentAccessType": "organizationPrivate", "requireAutoOrgUser": true}, nil)
	kit.AddPeople(env, kit.User("ann", "Ann", kit.Mailbox()), kit.User("bob", "Bob", kit.Mailbox()))
	kit.Annotate(env, kit.Made("d", kit.Annotated("a", kit.Wrote("bob", "Mine.")), kit.Annotated("b", kit.Wrote("ann", "Hers."))))
	require.Equal(t, [2]int{2, 1}, kit.Counts(env, "bob", "d")["d"])
	require.True(t, kit.Items(env, client.DeleteUsers, map[string]any{"organizationId": "acme", "userIds": []string{"bob"}})["bob"].Success)
	require.False(t, kit.MayWrite(env, "bob", "d"), "the document is closed to him")
	require.Zero(t, kit.Counts(env, "bob", "d")["d"])
	found := kit.Older[[]redline.Annotation](env, kit.GetAnnotations, kit.Doc("d", map[string]any{"userIds": []string{"bob"}})).Data
	require.Len(t, found, 1)
	require.Equal(t, "a", found[0].AnnotationID)
	thread := kit.Older[[]redline.ThreadComment](env, kit.GetComments, kit.Doc("d", map[string]any{"annotationId": "a", "userIds": []string{"bob"}})).Data
	require.Len(t, thread, 1)
}
