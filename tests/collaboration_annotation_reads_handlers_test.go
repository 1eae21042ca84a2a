package tests

import (
	"encoding/json"
	"fmt"
	"maps"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAnnotationsGet_1to3_Slots(t *testing.T) {
	s := begin(t)
	for _, name := range []string{"d", "e"} {
		s.annotate(made(name, annotated(name+"1", wrote("ann", "a")), annotated(name+"2", wrote("bob", "b"))))
	}
	slots := func(documentID string, more map[string]any) []string {
		var ids []string
		for _, item := range older[[]*annotationView](s, getAnnotations, doc(documentID, more)).Data {
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
	require.Len(t, slots("d", map[string]any{"annotationIds": many(30)}), 30, "(1)")
	stranger := s.elsewhere()
	require.Empty(t, older[[]*annotationView](stranger, getAnnotations, doc("d")).Data)
}

func TestAnnotationsGet_4and5_PagesLocationsAndPrivateOnes(t *testing.T) {
	s := begin(t)
	var notes []map[string]any
	for i := range 10 {
		n := annotated(fmt.Sprint("a", i), wrote("ann", "a", map[string]any{"lastUpdated": 1000 + i/2}))
		n["location"] = map[string]any{"id": fmt.Sprint("page ", i%2)}
		notes = append(notes, n)
	}
	hidden := annotated("hidden", wrote("bob", "b", map[string]any{"lastUpdated": 1}))
	hidden["visibility"] = map[string]any{"type": "restricted", "userIds": []string{"cat"}}
	s.annotate(made("d", append(notes, hidden)...))
	data := doc("d", map[string]any{"pageSize": 3})
	var seen []string
	for {
		page := older[[]annotationView](s, getAnnotations, data)
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
	s.olderRefused("INVALID_ARGUMENT", getAnnotations, data)
	delete(data, "pageToken")
	require.Len(t, older[[]annotationView](s, getAnnotations, data).Data, 3)
	require.Len(t, older[[]annotationView](s, getAnnotations, doc("d", map[string]any{"userIds": []string{"bob"}})).Data, 1)
	require.Empty(t, older[[]annotationView](s, getAnnotations, doc("d", map[string]any{"userIds": []string{"cat"}})).Data, "no author of any")
}

// A page ends by what is written of it: here names and numbers, hardly any text.
func TestAnnotationsGet_APageEndsByWhatIsWritten(t *testing.T) {
	s := begin(t)
	s.people(map[string]any{"userId": "ann", "name": characters(200), "email": mailbox()})
	want := []string{}
	for range 3 {
		notes := make([]map[string]any, 40)
		for i := range notes {
			thread := make([]map[string]any, 100)
			for j := range thread {
				thread[j] = wrote("ann", "a")
			}
			notes[i] = annotated(fmt.Sprintf("a%03d", len(want)), thread...)
			want = append(want, fmt.Sprintf("a%03d", len(want)))
		}
		s.annotate(made("d", notes...))
	}
	data, pages := doc("d"), 0
	seen := []string{}
	for more := true; more; pages++ {
		reply := s.olderReply(getAnnotations, data)
		require.LessOrEqual(t, len(reply.Body), 8<<20)
		var page struct{ Result pagedView[[]annotationView] }
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
	s := begin(t)
	all := make([]map[string]any, 100)
	for i := range all {
		all[i] = wrote([]string{"ann", "bob"}[i%2], strconv.Itoa(i), map[string]any{"commentId": 1000 - i})
	}
	private := annotated("private", wrote("ann", "a"), wrote("bob", "b"))
	private["visibility"] = map[string]any{"type": "restricted", "userIds": []string{"cat"}}
	s.annotate(made("d", annotated("a", all...), annotated("b", wrote("ann", "a", map[string]any{"commentId": 5})), private))
	get := func(annotationID string, more map[string]any) pagedView[[]*commentView] {
		data := doc("d", more)
		data["annotationId"] = annotationID
		return older[[]*commentView](s, getComments, data)
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
	other := doc("e", map[string]any{"annotationId": "a"})
	require.Nil(t, older[[]*commentView](s, getComments, other).Data, "in another document")
}

func TestCount_1to6(t *testing.T) {
	s := begin(t)
	hidden := annotated("hidden", wrote("ann", "a"))
	hidden["visibility"] = map[string]any{"type": "restricted", "userIds": []string{"bob"}}
	closed := annotated("closed", wrote("ann", "a"))
	closed["status"] = map[string]any{"id": "DONE", "name": "Done", "type": "terminal", "color": "#000", "lightColor": "#fff", "iconUrl": "x"}
	s.annotate(made("d",
		annotated("own", wrote("ann", "a", map[string]any{"createdAt": 1})), annotated("answered", wrote("ann", "a"), wrote("bob", "b", map[string]any{"createdAt": 1})),
		hidden, closed))
	require.Equal(t, [2]int{3, 3}, s.counts("never seen", "d")["d"], "(1)")
	require.Equal(t, map[string][2]int{"d": {4, 1}, "x": {0, 0}}, s.counts("ann", "d", "x", "d"), "(2) and (3)")
	require.Equal(t, [2]int{4, 3}, s.counts("bob", "d")["d"], "(4)")
	data := map[string]any{"organizationId": "acme", "documentIds": []string{"d"}, "userId": "bob", "statusIds": []string{"DONE", "OTHER"}}
	require.Equal(t, map[string]map[string]int{"d": {"total": 1, "unread": 1}}, older[map[string]map[string]int](s, countNotes, data).Data)
	data["organizationId"] = "unknown"
	require.Equal(t, map[string]map[string]int{"d": {"total": 0, "unread": 0}}, older[map[string]map[string]int](s, countNotes, data).Data)
	for _, missing := range []string{"documentIds", "userId", "organizationId"} {
		data := map[string]any{"organizationId": "acme", "documentIds": []string{"d"}, "userId": "bob"}
		delete(data, missing)
		s.olderRefused("INVALID_ARGUMENT", countNotes, data)
	}
}

// The two counts are one operation: whatever is asked, they answer the same.
func TestCount_BothAnswerAlike(t *testing.T) {
	s := begin(t)
	hidden := annotated("hidden", wrote("ann", "a"))
	hidden["visibility"] = map[string]any{"type": "restricted", "userIds": []string{"bob"}}
	s.annotate(made("d", annotated("open", wrote("ann", "a")), annotated("answered", wrote("ann", "a"), wrote("bob", "b")), hidden))
	s.annotate(made("e", annotated("other", wrote("bob", "a"))))
	of := func(user string, more map[string]any) map[string]any {
		data := map[string]any{"organizationId": "acme", "documentIds": []string{"e", "d", "unknown", "d"}, "userId": user}
		maps.Copy(data, more)
		return data
	}
	for want, data := range map[string]map[string]any{
		`"d":{"total":3,"unread":1}`: of("ann", nil), `"d":{"total":3,"unread":2}`: of("bob", nil), `"d":{"total":2,"unread":2}`: of("cat", nil),
		`"d":{"total":0,"unread":0}`: of("ann", map[string]any{"statusIds": []string{"DONE"}}),
		`"unknown":{"total":0`:       of("ann", map[string]any{"organizationId": "unknown"}),
		`"documentIds"`:              of("ann", map[string]any{"documentIds": many(31)}),
		`"statusIds"`:                of("ann", map[string]any{"statusIds": many(101)}),
		`"userId"`:                   of("", nil),
		`"organizationId"`:           of("ann", map[string]any{"organizationId": nil}),
	} {
		first, second := s.olderReply(countNotes, data), s.olderReply(countAgain, data)
		require.Equal(t, []any{first.HTTP, string(first.Body)}, []any{second.HTTP, string(second.Body)})
		require.Contains(t, string(second.Body), want)
	}
}

// The documents of one count are judged each by itself, also for what is
// visible to the user alone.
func TestCount_ByTheAccessToEachDocument(t *testing.T) {
	s := begin(t)
	s.call(updateSettings, map[string]any{"defaultDocumentAccessType": "restricted"}, nil)
	own := annotated("own", wrote("bob", "a"))
	own["visibility"] = map[string]any{"type": "restricted", "userIds": []string{"ann"}}
	note := func() map[string]any { return map[string]any{"commentData": []any{wrote("bob", "a")}} }
	s.annotate(made("d", note(), note()))
	s.annotate(made("e", note(), note(), note(), own))
	require.Equal(t, map[string][2]int{"d": {}, "e": {}}, s.counts("ann", "d", "e"), "a grant is needed, not to be named")
	s.items("users/add", map[string]any{"organizationId": "acme", "documentId": "d", "users": users("ann")})
	require.Equal(t, map[string][2]int{"d": {2, 2}, "e": {}}, s.counts("ann", "d", "e"))
	for user, role := range map[string]string{"ed": "editor", "vic": "viewer"} {
		s.items("users/add", map[string]any{"organizationId": "acme", "users": []map[string]any{{"userId": user, "accessRole": role}}})
		require.Equal(t, map[string][2]int{"d": {2, 2}, "e": {3, 3}}, s.counts(user, "e", "d"), role)
	}
	s.items("users/add", map[string]any{"organizationId": "acme", "documentId": "e", "users": users("ann")})
	require.Equal(t, map[string][2]int{"d": {2, 2}, "e": {4, 4}}, s.counts("ann", "d", "e"))
}

func TestReads_AsManyIDsAsTheirLimits(t *testing.T) {
	s := begin(t)
	s.annotate(made("d", annotated("a", wrote("ann", "a"))))
	commentIDs := make([]int, 1001)
	for i := range commentIDs {
		commentIDs[i] = i + 1
	}
	comments := doc("d", map[string]any{"annotationId": "a"})
	count := map[string]any{"organizationId": "acme", "documentIds": []string{"d"}, "userId": "bob"}
	for _, row := range []struct {
		path       string
		data       map[string]any
		field      string
		most, over any
	}{
		{getAnnotations, doc("d"), "annotationIds", many(30), many(31)},
		{getAnnotations, doc("d"), "locationIds", many(30), many(31)},
		{getAnnotations, doc("d"), "userIds", many(30), many(31)},
		{getComments, comments, "userIds", many(30), many(31)},
		{getComments, comments, "commentIds", commentIDs[:1000], commentIDs},
		{countNotes, count, "documentIds", many(30), many(31)},
		{countNotes, count, "statusIds", many(100), many(101)},
		{countAgain, count, "documentIds", many(30), many(31)},
	} {
		data := maps.Clone(row.data)
		data[row.field] = row.most
		older[json.RawMessage](s, row.path, data)
		data[row.field] = row.over
		failure := s.olderRefused("INVALID_ARGUMENT", row.path, data)
		require.Equal(t, []string{row.field}, failure.Issues[0].Path, row.path)
	}
	count["documentIds"] = []string{}
	s.olderRefused("INVALID_ARGUMENT", countNotes, count)
}

func TestSettingsGateTheOperationsOnComments(t *testing.T) {
	s := begin(t)
	s.annotate(made("d", annotated("a", wrote("ann", "a"))))
	s.call(updateSettings, map[string]any{"enableAdvancedQueries": false, "enablePrivateComments": false, "requireAutoOrgUser": true}, nil)
	for path, data := range map[string]map[string]any{
		getComments: doc("d", map[string]any{"annotationId": "a"}),
		countNotes:  {"organizationId": "acme", "documentIds": []string{"d"}, "userId": "ann"},
		countAgain:  {"organizationId": "acme", "documentIds": []string{"d"}, "userId": "ann"},
	} {
		require.Equal(t, "advanced-queries-disabled", s.olderRefused("FAILED_PRECONDITION", path, data).Reason)
	}
	unreadable := doc("d", map[string]any{"annotationId": "a", "pageToken": "none"})
	require.Equal(t, []string{"pageToken"}, s.olderRefused("INVALID_ARGUMENT", getComments, unreadable).Issues[0].Path, "the request is read first")
	require.Len(t, older[[]annotationView](s, getAnnotations, doc("d")).Data, 1, "not one of the gated reads")
	private := annotated("b", wrote("ann", "a"))
	private["visibility"] = map[string]any{"type": "restricted", "userIds": []string{"bob"}}
	require.Equal(t, "private-comments-disabled", s.refusedAs("FAILED_PRECONDITION", addAnnotations, made("d", private)).Reason)
	viewer := []map[string]any{{"userId": "ann", "accessRole": "viewer"}}
	require.Equal(t, "not-found", s.items("users/update", map[string]any{"organizationId": "acme", "users": viewer})["ann"].Code)
	s.annotate(made("d", annotated("c", wrote("ann", "a"))))
	require.True(t, s.items("users/update", map[string]any{"organizationId": "acme", "users": viewer})["ann"].Success, "the author became a member")
}

func TestAnnotationsAdd_CommentsAreJudgments(t *testing.T) {
	s := begin(t)
	s.annotate(made("d", annotated("a", wrote("ann", "First."), wrote("bob", "Second."), wrote("bob", " "))))
	page := s.judgments(map[string]any{"organizationId": "acme", "annotationId": "a"})
	require.Equal(t, 2, page.Total)
	require.Equal(t, []any{"comment", "First.", 0.5, "comment"},
		[]any{page.Results[0].Decision, page.Results[0].Reasoning, page.Results[0].Confidence, page.Results[0].ContentType})
	require.Equal(t, "bob", page.Results[1].ActionUser["userId"])
	require.Equal(t, "d", *page.Results[1].DocumentID)
}

// How sure a comment is: a person's is half, an agent's is what it says of itself in percent,
// or else a little more than a person's.
func TestAnnotationsAdd_HowSureAComment(t *testing.T) {
	s := begin(t)
	by := func(more map[string]any) map[string]any {
		reason := map[string]any{"title": "t", "description": "d", "severity": "low"}
		maps.Copy(reason, more)
		return map[string]any{"agent": map[string]any{"agentSource": "external", "agentName": "Bot", "reason": reason}}
	}
	s.annotate(made("d", annotated("a", wrote("ann", "a person"), wrote("bot", "unsaid", by(nil)), wrote("bot", "said", by(map[string]any{"confidence": 90})),
		wrote("bot", "none", by(map[string]any{"confidence": 0})))))
	sure := map[string]float64{}
	for _, found := range s.judgments(inAcme(map[string]any{"annotationId": "a"})).Results {
		sure[found.JudgeType+" "+found.Reasoning] = found.Confidence
	}
	require.Equal(t, map[string]float64{"human a person": 0.5, "agent unsaid": 0.6, "agent said": 0.9, "agent none": 0}, sure)
}

// A page token is of its list, its workspace and its filters, and of no other.
func TestAnnotationsGet_TokensOfOthersAreRefused(t *testing.T) {
	s := begin(t)
	stranger := s.elsewhere()
	add := made("d", annotated("a", wrote("ann", "1"), wrote("ann", "2"), wrote("ann", "3")), annotated("b", wrote("ann", "1")))
	s.annotate(add)
	stranger.annotate(add)
	lists := map[string]map[string]any{
		getAnnotations: doc("d", map[string]any{"pageSize": 1}), getComments: doc("d", map[string]any{"annotationId": "a", "pageSize": 1}),
	}
	tokens := map[string]string{}
	for path, data := range lists {
		tokens[path] = older[json.RawMessage](s, path, data).NextPageToken
		require.NotEmpty(t, tokens[path])
	}
	for path, data := range lists {
		for other, token := range tokens {
			data["pageToken"] = token
			if path != other {
				s.olderRefused("INVALID_ARGUMENT", path, data)
				continue
			}
			require.NotEmpty(t, older[[]json.RawMessage](s, path, data).Data)
			stranger.olderRefused("INVALID_ARGUMENT", path, data)
			for _, damaged := range []string{token + "A", token[1:], token[:len(token)-1], string(token[0]^1) + token[1:], token + "\n"} {
				data["pageToken"] = damaged
				s.olderRefused("INVALID_ARGUMENT", path, data)
			}
		}
	}
}

// A read made for the authors of annotations chooses by author and hides what they
// may not see; that a document is closed to them is no reason to hide it, as it is
// for the user for whom something is counted.
func TestAnnotationReads_AuthorsOfDocumentsThatAreClosedToThem(t *testing.T) {
	s := begin(t)
	s.call(updateSettings, map[string]any{"defaultDocumentAccessType": "organizationPrivate", "requireAutoOrgUser": true}, nil)
	s.people(user("ann", "Ann", mailbox()), user("bob", "Bob", mailbox()))
	s.annotate(made("d", annotated("a", wrote("bob", "Mine.")), annotated("b", wrote("ann", "Hers."))))
	require.Equal(t, [2]int{2, 1}, s.counts("bob", "d")["d"])
	require.True(t, s.items("users/delete", map[string]any{"organizationId": "acme", "userIds": []string{"bob"}})["bob"].Success)
	require.False(t, s.mayWrite("bob", "d"), "the document is closed to him")
	require.Zero(t, s.counts("bob", "d")["d"])
	found := older[[]annotationView](s, getAnnotations, doc("d", map[string]any{"userIds": []string{"bob"}})).Data
	require.Len(t, found, 1)
	require.Equal(t, "a", found[0].AnnotationID)
	thread := older[[]commentView](s, getComments, doc("d", map[string]any{"annotationId": "a", "userIds": []string{"bob"}})).Data
	require.Len(t, thread, 1)
}
