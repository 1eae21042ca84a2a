package api_test

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

// marked is a person who is found wherever they are.
type marked struct{ id, name, email, photo string }

func newMarked() marked {
	u := kit.Unique("mark")
	return marked{"id-" + u, "Name " + u, u + "@person.test", "https://person.test/" + u}
}

func (m marked) all() []string { return []string{m.id, m.name, m.email, m.photo} }

func (m marked) user(more ...map[string]any) map[string]any {
	all := map[string]any{"userId": m.id, "name": m.name, "email": m.email, "photoUrl": m.photo}
	for _, fields := range more {
		maps.Copy(all, fields)
	}
	return all
}

// erasing asks for an erasure.
func erasing(env *kit.Env, data map[string]any) (jobID string, tasks int) {
	env.T.Helper()
	var accepted client.Wrapped[struct {
		JobID      string
		TasksCount int
	}]
	env.Call(client.EraseUserData, data, &accepted)
	return accepted.Data.JobID, accepted.Data.TasksCount
}

type erasureView struct {
	JobID, Status         string
	IsDeleteCompleted     bool
	TasksLeft             int
	LastTaskCompletedTime *int64
}

func erased(env *kit.Env, id string) erasureView {
	env.T.Helper()
	var status client.Wrapped[erasureView]
	env.Call(client.ErasureStatus, map[string]any{"jobId": id}, &status)
	return status.Data
}

// stays is what an erasure leaves alone: the audit, and definitions, which are the caller's own.
var stays = []string{"audit_rows", "definitions", "definition_versions", "inbound_triggers"}

// found are the tables in which a person is found, each with a row.
func (d *jobWorker) found(m marked) (all []string) {
	d.T.Helper()
	rows, err := d.db.Pool.Query(d.Ctx, `SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`)
	require.NoError(d.T, err)
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(d.T, err)
	for _, table := range tables {
		if slices.Contains(stays, table) {
			continue
		}
		text := "t::text"
		if table == "message_bodies" {
			text = "convert_from(t.body, 'UTF8')"
		}
		var row *string
		err := d.db.Pool.QueryRow(d.Ctx, fmt.Sprintf(`SELECT min(%[1]s) FROM %[2]s t WHERE EXISTS (SELECT FROM unnest($1::text[]) m WHERE position(m in %[1]s) > 0)`, text, table), m.all()).Scan(&row)
		require.NoError(d.T, err, table)
		if row != nil {
			all = append(all, table+": "+*row)
		}
	}
	return all
}

// reviewed writes what a worker would have by now of steps that a person was asked about.
func (d *jobWorker) reviewed(m marked) {
	d.T.Helper()
	for _, statement := range []string{
		`UPDATE steps SET output = json_build_object('reviewers', json_build_array(json_build_object('reviewerId', $1::text))), end_actor = $1`,
		`INSERT INTO step_reviewers (workspace_id, execution_id, step_id, user_id, position, mandatory, replaces, open, step_created, step_ordinal)
SELECT workspace_id, execution_id, id, $1 || '/2', 9, true, $1, false, created_at, ordinal FROM steps`,
		`UPDATE events SET data = json_build_object('reviewerId', $1::text)`,
	} {
		done, err := d.db.Pool.Exec(d.Ctx, statement+` WHERE workspace_id = (SELECT workspace_id FROM profiles WHERE user_id = $1 LIMIT 1)`, m.id)
		require.NoError(d.T, err)
		require.NotZero(d.T, done.RowsAffected(), statement)
	}
}

// everywhere lets a person take part in everything that the interface has.
func everywhere(env *kit.Env, m marked, other string) {
	env.T.Helper()
	t := env.T
	kit.Hooked(env)
	kit.EndpointAt(env, "/told")
	env.Call(client.UpdateEmails, map[string]any{"useEmailService": true}, nil)
	env.Call(client.AddUsers, kit.InAcme(map[string]any{"users": []any{m.user(map[string]any{"phone": m.email}), map[string]any{"userId": other, "name": "Other", "boss": m.id}}}), nil)
	env.Call(client.AddUsers, kit.InAcme(map[string]any{"users": []any{m.user()}, "documentId": "d", "createDocument": true}), nil)
	kit.Items(env, client.AddGroups, kit.Groups("acme", "g"))
	env.Call(client.AddGroupUsers, kit.InAcme(map[string]any{"organizationUserGroupId": "g", "userIds": []string{m.id}}), nil)
	env.Call(client.SetPreferences, kit.InAcme(map[string]any{"userIds": []string{m.id}, "config": map[string]any{"inbox": "ALL"}}), nil)
	by := func(text string) map[string]any {
		return kit.Wrote(m.id, text, kit.Loud, kit.TriggerActivities, map[string]any{"from": m.user()})
	}
	tagging := kit.Wrote(other, "Ask {{"+m.id+"}} today", kit.Loud, kit.TriggerActivities, map[string]any{
		"commentHtml": "<b>{{" + m.id + "}}</b>", "context": map[string]any{"for": m.id, "n": 1},
		"attachments":        []any{map[string]any{"name": "a", "metadata": map[string]any{"by": m.user()}}},
		"progress":           map[string]any{"state": "active", "visibleToUserIds": []string{m.id, other}},
		"actions":            []any{map[string]any{"id": "x", "metadata": map[string]any{"for": m.id}}},
		"taggedUserContacts": []any{map[string]any{"userId": m.id, "contact": map[string]any{"userId": m.id, "name": m.name, "email": m.email}}},
	})
	kit.Annotate(env, kit.Made("d",
		kit.With(kit.Annotated("theirs", tagging, by("mine in theirs")), map[string]any{"assignedTo": m.user(), "context": map[string]any{"owner": m.user()}, "pageInfo": map[string]any{"by": m.user()}}),
		kit.Annotated("mine", by("I said so")),
		kit.Annotated("mixed", by("root"), kit.Wrote(other, "stays")),
		kit.VisibleTo(kit.Annotated("listed", kit.Wrote(other, "For one only")), m.id)))
	env.Call(client.UpdateAnnotations, kit.InAcme(kit.InDocument("d"), map[string]any{
		"annotationIds": []string{"mixed"}, "actionUser": m.user(), "triggerActivities": true,
		"updatedData": map[string]any{"resolvedByUserId": m.id, "assignedTo": m.user()},
	}), nil)
	env.Call(client.AddNotification, telling(map[string]any{
		"actionUser": m.user(), "notifyUsers": []any{m.user(), map[string]any{"userId": other}}, "metadata": map[string]any{"by": m.user()},
		"notificationSourceData": map[string]any{"of": m.id}, "displayBodyMessage": m.name,
	}), nil)
	env.Call(client.ReadAnnotations, kit.InAcme(kit.InDocument("d"), map[string]any{"userId": m.id}), nil)
	kit.AddActivities(env, "d", kit.Activity(m.id, "x", map[string]any{
		"actionUser": m.user(), "entityData": map[string]any{"by": m.user()}, "displayMessageTemplate": "{{actionUser.name}} did it", "changes": map[string]any{"who": map[string]any{"from": m.id, "to": nil}},
	}))
	kit.Dispatch(env, kit.Define(env, []client.Node{client.Human("review", m.id, other), client.Mock("end")}, client.Both("review", "end")...), func(d *client.Dispatch) {
		d.TriggerContext = map[string]any{"author": m.user(), "name": m.name, "note": "as " + other + " said"}
	})
	kit.Record(env, kit.With(kit.Verdict(m.id, "approve", map[string]any{"organizationId": "acme"}), map[string]any{"actionUser": m.user()}))
	kit.Record(env, kit.With(kit.Verdict(m.id, "reject"), map[string]any{"actionUser": m.user()}))
	require.NotEmpty(t, exporting(env, m.id))
}

func TestUsersDataDelete_5_NothingOfThePersonIsFound(t *testing.T) {
	env := newWorkspace(t)
	d := newJobWorker(env)
	m, other := newMarked(), kit.Unique("other")
	everywhere(env, m, other)
	d.reviewed(m)
	require.NotEmpty(t, d.found(m))
	id, tasks := erasing(env, map[string]any{"userIds": []string{m.id, m.id + "/2"}})
	for left := tasks; ; {
		now := erased(env, id).TasksLeft
		require.LessOrEqual(t, now, left)
		if left = now; !d.step(id) {
			break
		}
	}
	done := erased(env, id)
	require.Equal(t, erasureView{id, "completed", true, 0, done.LastTaskCompletedTime}, done)
	require.NotNil(t, done.LastTaskCompletedTime)
	require.Empty(t, d.found(m))
	require.Empty(t, dataOf(env, m.id, nil).Data.Comments)
	var left client.Wrapped[[]struct {
		AnnotationID string
		Comments     []struct{ CommentText string }
	}]
	env.Call(client.GetAnnotations, kit.InAcme(kit.InDocument("d")), &left)
	texts := map[string]string{}
	for _, a := range left.Data {
		for _, c := range a.Comments {
			texts[a.AnnotationID] += c.CommentText
		}
	}
	require.Equal(t, map[string]string{"theirs": "Ask [deleted user] today", "mixed": "stays", "listed": "For one only"}, texts)
}

func TestUsersDataDelete_1and2_UnknownUsersAndTheSameRequest(t *testing.T) {
	env := newWorkspace(t)
	d := newJobWorker(env)
	id, tasks := erasing(env, map[string]any{"userIds": []string{"nobody", "none"}})
	again, _ := erasing(env, map[string]any{"userIds": []string{"none", "nobody", "none"}})
	require.Equal(t, id, again)
	require.Equal(t, erasureView{id, "pending", false, tasks, nil}, erased(env, id))
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

func TestUsersDataDelete_AccessEndsWithTheAnswer(t *testing.T) {
	env := newWorkspace(t)
	env.Call(client.AddUsers, kit.InAcme(map[string]any{"users": []any{map[string]any{"userId": "bob"}}}), nil)
	kit.Items(env, client.AddDocuments, kit.Document("closed", map[string]any{"accessType": "organizationPrivate"}))
	kit.Record(env, kit.Verdict("bob", "approve", map[string]any{"organizationId": "acme"}))
	erasing(env, map[string]any{"userIds": []string{"bob"}, "organizationIds": []string{"acme"}})
	data := kit.Made("closed", kit.Annotated("a", kit.Wrote("bob", "May I?")))
	require.Equal(t, "PERMISSION_DENIED", env.RefusedAs("PERMISSION_DENIED", client.AddAnnotations, kit.With(data, map[string]any{"verifyUserPermissions": true})).Status)
	require.Equal(t, "null", kit.ProfileOf(env, "bob"), "what they judged counts no more")
}

func TestUsersDataDelete_6_ARestrictedAnnotationStaysWithItsAuthor(t *testing.T) {
	env := newWorkspace(t)
	d := newJobWorker(env)
	kit.Annotate(env, kit.Made("d", kit.VisibleTo(kit.Annotated("a", kit.Wrote("ann", "For bob")), "bob")))
	id, _ := erasing(env, map[string]any{"userIds": []string{"bob"}})
	d.work(id)
	for viewer, want := range map[string]int{"ann": 1, "eve": 0, "bob": 0} {
		var found client.Wrapped[[]struct{ Visibility struct{ Type string } }]
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
