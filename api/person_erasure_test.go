package api_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/internal/webhook"
	"github.com/redline-svc/redline/models/delivery"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

// erasing asks for an erasure.
func erasing(env *kit.Env, data map[string]any) (jobID string, tasks int64) {
	env.T.Helper()
	var accepted redline.ErasureAcceptedResult
	env.Call(client.EraseUserData, data, &accepted)
	return accepted.Data.JobID, accepted.Data.TasksCount
}

func erased(env *kit.Env, id string) redline.Erasure {
	env.T.Helper()
	var status redline.ErasureResult
	env.Call(client.ErasureStatus, map[string]any{"jobId": id}, &status)
	return status.Data
}

// reviewed writes what a worker would have by now of steps that a person was asked about.
func (d *jobWorker) reviewed(m kit.Person) {
	d.T.Helper()
	for _, statement := range []string{
		`UPDATE steps SET output = json_build_object('reviewers', json_build_array(json_build_object('reviewerId', $1::text))), end_actor = $1`,
		`INSERT INTO step_reviewers (workspace_id, execution_id, step_id, user_id, position, mandatory, replaces, open, step_created, step_ordinal)
SELECT workspace_id, execution_id, id, $1 || '/2', 9, true, $1, false, created_at, ordinal FROM steps`,
		`UPDATE events SET data = json_build_object('reviewerId', $1::text)`,
	} {
		done, err := d.db.Pool.Exec(d.Ctx, statement+` WHERE workspace_id = (SELECT workspace_id FROM profiles WHERE user_id = $1 LIMIT 1)`, m.ID)
		require.NoError(d.T, err)
		require.NotZero(d.T, done.RowsAffected(), statement)
	}
}

func TestUsersDataDelete_5_NothingOfThePersonIsFound(t *testing.T) {
	env := newWorkspace(t)
	d := newJobWorker(env)
	m, other := kit.NewPerson(), kit.Unique("other")
	kit.TakesPart(env, m, other)
	kit.StandsEverywhere(env, m, other)
	d.reviewed(m)
	require.NotEmpty(t, kit.RowsWith(env, m.Marks()))
	id, tasks := erasing(env, map[string]any{"userIds": []string{m.ID, m.ID + "/2"}})
	for left := tasks; ; {
		now := erased(env, id).TasksLeft
		require.LessOrEqual(t, now, left)
		if left = now; !d.step(id) {
			break
		}
	}
	done := erased(env, id)
	require.Equal(t, redline.Erasure{JobID: id, Status: redline.ErasureStatusCompleted, IsDeleteCompleted: true, LastTaskCompletedTime: done.LastTaskCompletedTime}, done)
	require.NotNil(t, done.LastTaskCompletedTime)
	require.Empty(t, kit.RowsWith(env, m.Marks()))
	require.Empty(t, dataOf(env, m.ID, nil).Data.Comments)
	var left redline.WholeAnnotationListResult
	env.Call(client.GetAnnotations, kit.InAcme(kit.InDocument("d")), &left)
	texts := map[string]string{}
	for _, a := range left.Data {
		for _, c := range a.Comments {
			texts[a.AnnotationID] += c.CommentText
		}
	}
	require.Equal(t, map[string]string{"theirs": "Ask [deleted user] today", "mixed": "stays", "listed": "For one only"}, texts)
}

func TestUsersDataDelete_4_WhoeverWorksOnItDiesInEveryPortion(t *testing.T) {
	env := newWorkspace(t)
	d, m := newJobWorker(env), newMortal(env)
	who := kit.NewPerson()
	kit.TakesPart(env, who, kit.Unique("other"))
	id, left := erasing(env, map[string]any{"userIds": []string{who.ID}})
	for portion := 0; left > 0; portion++ {
		m.dies(id, "UPDATE erasures SET", portion%2 == 0)
		now := erased(env, id).TasksLeft
		require.LessOrEqual(t, now, left)
		d.step(id)
		left = erased(env, id).TasksLeft
		require.LessOrEqual(t, left, now)
	}
	require.True(t, erased(env, id).IsDeleteCompleted)
	require.Empty(t, kit.RowsWith(env, who.Marks()))
}

func TestUsersDataDelete_WhatWasThereBeforeGoesWhileTheyWriteOn(t *testing.T) {
	env := newWorkspace(t)
	d := newJobWorker(env)
	writes := func(id string) {
		kit.Annotate(env, kit.Made("d", kit.Annotated("of-bob-"+id, kit.Wrote("bob", "Mine")), kit.Annotated("of-ann-"+id, kit.Wrote("ann", "Ask {{bob}}"))))
	}
	for i := range 5 {
		writes(fmt.Sprint("before-", i))
	}
	id, _ := erasing(env, map[string]any{"userIds": []string{"bob"}})
	for later := 0; d.step(id); later++ {
		writes(fmt.Sprint("later-", later))
	}
	require.True(t, erased(env, id).IsDeleteCompleted)
	var left redline.WholeAnnotationListResult
	env.Call(client.GetAnnotations, kit.InAcme(kit.InDocument("d"), map[string]any{"pageSize": 1000}), &left)
	require.Greater(t, len(left.Data), 5, "what others wrote stays")
	for _, a := range left.Data {
		require.NotContains(t, a.AnnotationID, "of-bob-before")
		if strings.HasPrefix(a.AnnotationID, "of-ann-before") {
			require.Equal(t, "Ask [deleted user]", a.Comments[0].CommentText)
		}
	}
}

// A message that has no body any more is refused to the endpoint as one that is too old, and holds nothing up.
func TestUsersDataDelete_5_MessagesThatWaitGoWithoutTheirBodies(t *testing.T) {
	env := newWorkspace(t)
	d := newJobWorker(env)
	kit.Hooked(env)
	to := kit.EndpointAt(env, "/told")
	kit.Annotate(env, kit.Made("d", kit.Annotated("theirs", kit.Wrote("ann", "Ask {{bob}}", kit.Loud)), kit.Annotated("others", kit.Wrote("ann", "Nobody", kit.Loud))))
	id, _ := erasing(env, map[string]any{"userIds": []string{"bob"}})
	d.work(id)
	at, err := d.stores.Deliveries.LockDestination(env.Ctx, env.Workspace.ID, to.ID, "worker")
	require.NoError(t, err)
	claimed, err := d.stores.Deliveries.Claim(env.Ctx, at, "worker", delivery.ClaimLimits{Rows: 10})
	require.NoError(t, err)
	bodies := map[bool]int{}
	for _, row := range claimed.Rows {
		bodies[row.Message.Body != nil]++
		if row.Message.Body == nil {
			_, err := d.stores.Deliveries.Record(env.Ctx, []delivery.Outcome{{Claimed: row, Class: webhook.Expired}})
			require.NoError(t, err)
		}
	}
	require.Equal(t, map[bool]int{true: 2, false: 2}, bodies)
	var found redline.MessageListResult
	env.Call(client.GetMessages, map[string]any{"includePayload": true}, &found)
	require.Len(t, found.Data.Messages, 4)
	for _, m := range found.Data.Messages {
		if m.Payload == "" {
			require.Equal(t, []any{redline.MessageDeliveryStatusFailed, "payload-expired"}, []any{m.Deliveries[0].Status, *m.Deliveries[0].Class})
			continue
		}
		require.NotContains(t, m.Payload, "bob")
	}
}

func TestUsersDataDelete_1and2_UnknownUsersAndTheSameRequest(t *testing.T) {
	env := newWorkspace(t)
	d := newJobWorker(env)
	id, tasks := erasing(env, map[string]any{"userIds": []string{"nobody", "none"}})
	again, _ := erasing(env, map[string]any{"userIds": []string{"none", "nobody", "none"}})
	require.Equal(t, id, again)
	require.Equal(t, redline.Erasure{JobID: id, Status: redline.ErasureStatusPending, TasksLeft: tasks}, erased(env, id))
	other, _ := erasing(env, map[string]any{"userIds": []string{"nobody"}})
	require.NotEqual(t, id, other)
	d.work(id)
	require.True(t, erased(env, id).IsDeleteCompleted)
	fresh, _ := erasing(env, map[string]any{"userIds": []string{"nobody", "none"}})
	require.NotEqual(t, id, fresh, "the other one has ended")
	stranger := kit.NewWorkspaceAt(t, handlerServer(t).URL)
	require.Equal(t, "job", kit.Details(stranger, client.ErasureStatus, map[string]any{"jobId": id})["resource"])
	for field, wrong := range map[string]map[string]any{
		"userIds": {"userIds": []string{}}, "organizationIds": {"userIds": []string{"a"}, "organizationIds": []string{}},
	} {
		require.Equal(t, field, env.RefusedAs("INVALID_ARGUMENT", client.EraseUserData, wrong).Issues[0].Path[0])
	}
}

// Each mark of people is looked for in every text: a request names people of a thousand marks, and nothing goes where it names more.
func TestUsersDataDelete_PeopleOfManyMarksGoByThemselves(t *testing.T) {
	env := newWorkspace(t)
	d := newJobWorker(env)
	users := []string{"bob", "eve", "joe", "sue"}
	for _, user := range users {
		comments := make([]map[string]any, 100)
		for i := range comments {
			from := map[string]any{
				"userId": user, "name": fmt.Sprint(user, " the ", i), "email": fmt.Sprint(user, i, "@example.com"), "photoUrl": fmt.Sprint("https://example.com/", user, i),
			}
			comments[i] = kit.Wrote(user, "Mine", map[string]any{"from": from})
		}
		kit.Annotate(env, kit.Made("d", kit.Annotated("of-"+user, comments...), kit.Annotated("to-"+user, kit.Wrote("ann", "Ask {{"+user+"}}"))))
		kit.Record(env, kit.Verdict(user, "approve"))
	}
	refused := env.RefusedAs("INVALID_ARGUMENT", client.EraseUserData, map[string]any{"userIds": users})
	require.Equal(t, redline.ErrorDetailsReasonTooManyMarks, refused.Reason)
	require.Contains(t, refused.Message, "more than 1000 ids, names, addresses and pictures")
	require.NotEqual(t, "null", kit.ProfileOf(env, "bob"), "nothing goes")
	id, _ := erasing(env, map[string]any{"userIds": users[:3]})
	d.work(id)
	require.True(t, erased(env, id).IsDeleteCompleted)
	for _, user := range users {
		require.Equal(t, user == "sue", len(kit.RowsWith(env, []string{user + "17@example.com"})) > 0, user)
	}
	require.Empty(t, kit.RowsWith(env, []string{"{{joe}}"}))
}

func TestUsersDataDelete_AccessEndsWithTheAnswer(t *testing.T) {
	env := newWorkspace(t)
	env.Call(client.AddUsers, kit.InAcme(map[string]any{"users": []any{map[string]any{"userId": "bob"}}}), nil)
	kit.Items(env, client.AddDocuments, kit.Document("closed", map[string]any{"accessType": "organizationPrivate"}))
	kit.Record(env, kit.Verdict("bob", "approve", map[string]any{"organizationId": "acme"}))
	erasing(env, map[string]any{"userIds": []string{"bob"}, "organizationIds": []string{"acme"}})
	data := kit.Made("closed", kit.Annotated("a", kit.Wrote("bob", "May I?")))
	require.Equal(t, redline.ProblemStatusPermissionDenied, env.RefusedAs("PERMISSION_DENIED", client.AddAnnotations, kit.With(data, map[string]any{"verifyUserPermissions": true})).Status)
	require.Equal(t, "null", kit.ProfileOf(env, "bob"), "what they judged counts no more")
}

func TestUsersDataDelete_6_ARestrictedAnnotationStaysWithItsAuthor(t *testing.T) {
	env := newWorkspace(t)
	d := newJobWorker(env)
	kit.Annotate(env, kit.Made("d", kit.VisibleTo(kit.Annotated("a", kit.Wrote("ann", "For bob")), "bob")))
	id, _ := erasing(env, map[string]any{"userIds": []string{"bob"}})
	d.work(id)
	for viewer, want := range map[string]int{"ann": 1, "eve": 0, "bob": 0} {
		var found redline.WholeAnnotationListResult
		env.Call(client.GetAnnotations, kit.InAcme(kit.InDocument("d"), map[string]any{"viewerUserId": viewer}), &found)
		require.Len(t, found.Data, want, viewer)
	}
}

func TestUsersDataDelete_OnlyInTheOrganizationsNamed(t *testing.T) {
	env := newWorkspace(t)
	d := newJobWorker(env)
	beta := map[string]any{"organizationId": "beta", "createOrganization": true, "createDocument": true}
	for _, at := range []map[string]any{{}, beta} {
		kit.Annotate(env, kit.With(kit.Made("d", kit.Annotated(kit.Unique("a"), kit.Wrote("bob", "Here"))), at))
	}
	id, _ := erasing(env, map[string]any{"userIds": []string{"bob"}, "organizationIds": []string{"acme"}})
	d.work(id)
	require.Empty(t, dataOf(env, "bob", nil).Data.Comments)
	var page personData
	env.Call(client.GetUserData, map[string]any{"organizationId": "beta", "userId": "bob"}, &page)
	require.Len(t, page.Data.Comments, 1)
}

func TestUsersDataGet_4_ErasedBetweenTwoPages(t *testing.T) {
	env := newWorkspace(t)
	d := newJobWorker(env)
	for i := range 110 {
		kit.Annotate(env, kit.Made("d", kit.Annotated(fmt.Sprint("a", i), kit.Wrote("bob", strconv.Itoa(i)))))
	}
	first := dataOf(env, "bob", nil)
	require.NotNil(t, first.NextPageToken)
	id, _ := erasing(env, map[string]any{"userIds": []string{"bob"}})
	d.work(id)
	second := dataOf(env, "bob", first.NextPageToken)
	require.Empty(t, second.Data.Comments)
	require.Nil(t, second.NextPageToken)
}
