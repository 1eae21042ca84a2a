package collaboration

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit"
)

// Who may not see an annotation is told of it in no way, and not later either.
func TestNotifications_2_OpenedLater(t *testing.T) {
	env := kit.NewWorkspace(t)
	kit.MailBy(env, map[string]any{})
	inside, outside := kit.Mailbox(), kit.Mailbox()
	kit.AddPeople(env, kit.User("ann", "Ann", kit.Mailbox()), kit.User("bob", "Bob", inside), kit.User("cat", "Cat", outside))
	kit.Wants(env, map[string]any{"inbox": "ALL", "email": "ALL"}, []string{"cat"})
	kit.Annotate(env, kit.Made("d", kit.SecretTo(kit.Annotated("n", kit.Wrote("ann", "For {{bob}}, not {{cat}}", kit.Loud)), "ann", "bob")))
	_, err := env.DB().Exec(env.Ctx, `UPDATE annotations SET visibility = 'public', visible_to = NULL WHERE workspace_id = $1`, env.Workspace.ID)
	require.NoError(t, err)
	kit.Reply(env, kit.Replying(kit.Wrote("ann", "Now open", kit.Loud)))
	require.Equal(t, []string{"Now open"}, kit.NoticeBodies(kit.Notices(env, kit.ForUser("cat"))))
	inBoxes(env, map[string][]string{inside: {"For Bob, not Cat"}, outside: {"Now open"}})
}

func TestNotifications_8_AnUnflaggedImport(t *testing.T) { importUnflagged(t, 10) }

func TestLong_Notifications_8_AnUnflaggedImportOf10000(t *testing.T) { importUnflagged(t, 100) }

// importUnflagged adds so many threads of 100 comments in one call: an import that asks for nothing tells nobody, whatever they want.
func importUnflagged(t *testing.T, threads int) {
	t.Helper()
	env := kit.NewWorkspace(t)
	kit.MailBy(env, map[string]any{})
	kit.AddPeople(env, kit.User("bob", "Bob", kit.Mailbox()))
	kit.Wants(env, map[string]any{"inbox": "ALL", "email": "ALL"}, []string{"bob"})
	notes := make([]map[string]any, threads)
	for i := range notes {
		notes[i] = kit.Annotated(fmt.Sprint("n", i), slices.Repeat([]map[string]any{kit.Wrote("ann", "{{bob}}")}, 100)...)
	}
	kit.Annotate(env, kit.Made("d", notes...))
	var comments, rows int
	require.NoError(t, env.DB().QueryRow(env.Ctx, `SELECT (SELECT count(*) FROM comments WHERE workspace_id = $1),
(SELECT count(*) FROM notifications WHERE workspace_id = $1) + (SELECT count(*) FROM notification_recipients WHERE workspace_id = $1)
+ (SELECT count(*) FROM mails WHERE workspace_id = $1) + (SELECT count(*) FROM messages WHERE workspace_id = $1)`, env.Workspace.ID).Scan(&comments, &rows))
	require.Equal(t, []int{100 * threads, 0}, []int{comments, rows})
	kit.Annotate(env, kit.Made("d", kit.Annotated("loud", kit.Wrote("ann", "Told", kit.Loud))))
	require.Equal(t, []string{"Told"}, kit.NoticeBodies(kit.Notices(env, kit.ForUser("bob"))))
}
