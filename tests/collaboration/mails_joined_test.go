package collaboration

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/receiver"
)

// leaves sets when mails about comments leave.
func leaves(env *kit.Env, config map[string]any) {
	env.T.Helper()
	env.Call(client.UpdateNotificationSettings, map[string]any{"notificationServiceConfig": config}, nil)
}

// joined joins mails to one person in an organization, which leave after so many seconds or with so many comments.
func joined(seconds, most int) map[string]any {
	return map[string]any{"batchConfig": map[string]any{"user": map[string]any{"isEnabled": true, "batchWindowSeconds": seconds, "maxActivities": most}}}
}

// atOnce lets mails leave by themselves again, and what has waited to be joined.
func atOnce(env *kit.Env) {
	env.T.Helper()
	leaves(env, map[string]any{"batchConfig": map[string]any{"user": map[string]any{"isEnabled": false}}, "delayConfig": map[string]any{"isEnabled": false}})
}

// mentions tags bob, who has the address, in so many annotations of the document d.
func mentions(env *kit.Env, to string, count int) {
	env.T.Helper()
	kit.AddPeople(env, kit.User("bob", "Bob", to))
	notes := make([]map[string]any, count)
	for i := range notes {
		notes[i] = kit.Annotated(fmt.Sprint("n", i), kit.Wrote("ann", fmt.Sprintf("No. %d for {{bob}}", i), kit.Loud))
	}
	kit.Annotate(env, kit.Made("d", notes...))
}

// wait waits until so many mails have joined those that leave together.
func wait(env *kit.Env, count int) {
	env.T.Helper()
	rows := env.DB()
	kit.RequireEventually(env.T, fmt.Sprint(count, " mails have joined"), func() (all bool) {
		const joined = `SELECT coalesce(sum(items), 0) = $2 FROM mail_batches WHERE workspace_id = $1`
		require.NoError(env.T, rows.QueryRow(env.Ctx, joined, env.Workspace.ID, count).Scan(&all))
		return all
	})
}

// onlySubjects wants these subjects of all mails to an address, to which no other goes.
func onlySubjects(env *kit.Env, to string, want ...string) {
	env.T.Helper()
	kit.Mails(env, to, len(want))
	marker := kit.Mailbox()
	kit.Mention(env, "marker", marker)
	kit.Mails(env, marker, 1)
	require.Equal(env.T, want, subjects(kit.Mails(env, to, len(want))))
}

func TestNotificationSettings_1and7_ADelayedMailOfWhatIsReadOrGone(t *testing.T) {
	env := kit.Hooked(kit.NewWorkspace(t))
	kit.MailBy(env, map[string]any{})
	kit.EndpointAt(env, "/told", map[string]any{"filterTypes": []string{"comment_annotation.add"}})
	leaves(env, map[string]any{"delayConfig": map[string]any{"isEnabled": true, "delaySeconds": 600}})
	to := kit.Mailbox()
	mentions(env, to, 3)
	env.Arrived("/told", receiver.Count(3))
	require.Empty(t, kit.Mails(env, to, 0), "their events have gone before")
	for _, n := range kit.Notices(env, kit.ForUser("bob")) {
		if strings.Contains(n.DisplayBodyMessage, "No. 0 ") {
			env.Call(client.UpdateNotifications, kit.InAcme(map[string]any{"notifications": []any{map[string]any{"id": n.ID, "readByUserIds": []string{"bob"}}}}), nil)
		}
	}
	env.Call(client.DeleteAnnotations, kit.Doc("d", map[string]any{"annotationIds": []string{"n1"}}), nil)
	_, err := env.DB().Exec(t.Context(), `UPDATE open_deliveries o SET due_at = clock_timestamp()
FROM deliveries d JOIN mails m ON m.id = d.mail_id WHERE o.id = d.id AND m.workspace_id = $1`, env.Workspace.ID)
	require.NoError(t, err)
	atOnce(env)
	onlySubjects(env, to, "ann mentioned you in “d”")
	require.Contains(t, kit.Mails(env, to, 1)[0].Text, "No. 2 for Bob")
}

func TestNotificationSettings_2_ThirtyMentionsAreOneMailOrThree(t *testing.T) {
	for most, want := range map[int][]string{50: {"30 new comments"}, 10: {"10 new comments", "10 new comments", "10 new comments"}} {
		t.Run(strconv.Itoa(most), func(t *testing.T) {
			env := kit.NewWorkspace(t)
			kit.MailBy(env, map[string]any{})
			leaves(env, joined(600, most))
			to := kit.Mailbox()
			mentions(env, to, 30)
			wait(env, 30)
			if most == 50 {
				require.Empty(t, kit.Mails(env, to, 0), "there is room for more")
			}
			kit.Mails(env, to, len(want)-len(want)%3)
			atOnce(env)
			onlySubjects(env, to, want...)
		})
	}
}

// Two workers die while mails wait to leave together: they leave once, when their time has come.
func TestNotificationSettings_3_WorkersThatDieWhileMailsAreJoined(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	api, worker := isolated.StartProcess("api"), isolated.StartProcess("worker", shortMails)
	env := isolated.NewWorkspace(api)
	kit.MailBy(env, map[string]any{})
	leaves(env, joined(20, 50))
	to := kit.Mailbox()
	mentions(env, to, 3)
	wait(env, 3)
	for range 2 {
		worker.Kill()
		isolated.Restart(worker)
	}
	kit.RequireWithin(t, kit.IngestionTime, "the mail arrives", func() bool { return len(kit.Mails(env, to, 0)) > 0 })
	var inTime bool
	require.NoError(t, isolated.DB().QueryRow(t.Context(), `SELECT bool_and(a.started_at >= m.created_at + interval '20 s')
FROM mails m JOIN deliveries d ON d.mail_id = m.id JOIN attempts a ON a.delivery_id = d.id WHERE m.template = 'batch'`).Scan(&inTime))
	require.True(t, inTime, "not before its time")
	atOnce(env)
	onlySubjects(env, to, "3 new comments")
	isolated.AtRest()
}

func TestNotificationSettings_4_WhatMayNotBeSeenAnyMoreIsLeftOut(t *testing.T) {
	env := kit.NewWorkspace(t)
	kit.MailBy(env, map[string]any{})
	leaves(env, joined(600, 50))
	to := kit.Mailbox()
	mentions(env, to, 5)
	wait(env, 5)
	hidden := kit.Updating(map[string]any{"visibility": map[string]any{"type": "restricted", "userIds": []string{"ann"}}}, map[string]any{"annotationIds": []string{"n1", "n3"}})
	env.Call(client.UpdateAnnotations, hidden, nil)
	atOnce(env)
	onlySubjects(env, to, "3 new comments")
	for n, text := range []string{"No. 0 ", "No. 1 ", "No. 2 ", "No. 3 ", "No. 4 "} {
		require.Equal(t, n%2 == 0, strings.Contains(kit.Mails(env, to, 1)[0].Text, text), text)
	}
}
