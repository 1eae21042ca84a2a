package collaboration

import (
	"encoding/json"
	"maps"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
)

func TestCommentsUpdate_2_TheSameAgain(t *testing.T) {
	env := kit.Hooked(kit.NewWorkspace(t))
	kit.EndpointAt(env, "/told")
	fields := map[string]any{
		"commentText": "Ask {{bob}}", "commentHtml": "<p>Ask {{bob}}</p>", "context": json.RawMessage(`{"n": 1.10}`), "isCommentResolverUsed": true,
		"isCommentTextAvailable": true, "from": kit.User("ann", "Ann", "ann@example.com"),
		"taggedUserContacts": []any{map[string]any{"userId": "bob", "contact": map[string]any{"userId": "bob", "name": "Bob"}}},
	}
	kit.Discuss(env, maps.Clone(fields), kit.Wrote("ann", "mine"))
	before := kit.Discussion(env)
	kit.Edit(env, kit.Edited(fields, 1))
	kit.Edit(env, kit.With(kit.Edited(kit.Says("mine"), 2), map[string]any{"triggerNotification": true, "triggerActivities": true}))
	kit.Edit(env, kit.Edited(map[string]any{}, 1, 2))
	require.Equal(t, before, kit.Discussion(env))
	kit.Edit(env, kit.Edited(kit.Says("mine"), 1, 2))
	after := kit.Discussion(env)
	require.Equal(t, before.Comments[1], after.Comments[1])
	require.Equal(t, redline.ThreadCommentStatusUpdated, after.Comments[0].Status)
	require.Equal(t, []string{"comment.update"}, kit.EventsOf(kit.Heard(env, "/told", 1)), "one for the one that is another")
	kit.Edit(env, kit.Edited(kit.Says("mine"), 1, 2))
	require.Equal(t, after, kit.Discussion(env))
	kit.Settled(env)
	require.Len(t, kit.Heard(env, "/told", 1), 1)
}

func TestCommentsUpdate_3_ARemovedTagTakesItsNotificationBack(t *testing.T) {
	env := kit.NewWorkspace(t)
	bob, eve := kit.Mailbox(), kit.Mailbox()
	kit.MailBy(env, map[string]any{"fromEmail": "desk@tests.example.com"})
	kit.AddPeople(env, kit.User("bob", "Bob", bob), kit.User("eve", "Eve", eve))
	kit.Discuss(env, kit.Wrote("ann", "Look, {{bob}}.", kit.Loud), kit.Wrote("ann", "And {{bob}}.", kit.Loud))
	kit.Mails(env, bob, 2)
	require.Equal(t, []string{"1 bob mention", "2 bob mention"}, kit.NotifiedRows(env))
	kit.Edit(env, kit.Edited(kit.Says("Look, {{eve}}."), 1))
	require.Equal(t, []string{"2 bob mention"}, kit.NotifiedRows(env), "eve is not told without the flag")
	kit.Edit(env, kit.With(kit.Edited(kit.Says("Look, {{eve}} and {{bob}}."), 1), kit.Loud))
	require.Equal(t, []string{"1 bob mention", "2 bob mention"}, kit.NotifiedRows(env), "she was tagged before")
	kit.Edit(env, kit.With(kit.Edited(kit.Says("And {{bob}}, {{eve}}, {{ann}}."), 2), kit.Loud))
	require.Equal(t, []string{"1 bob mention", "2 bob mention", "2 eve mention"}, kit.NotifiedRows(env))
	inBoxes(env, map[string][]string{
		bob: {"Look, Bob.", "And Bob.", "Look, Eve and Bob."}, eve: {"And Bob, Eve, ann."},
	})
}
