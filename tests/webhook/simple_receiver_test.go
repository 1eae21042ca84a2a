package webhook

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/receiver"
)

// notice is the body that a simple receiver gets.
type notice struct {
	WebhookID, ActionType, NotificationSource string

	CommentAnnotation *struct{ AnnotationID string }
	TargetComment     *struct{ CommentText string }
	Metadata          struct{ APIKey string }
}

// notices waits for n requests and returns what they say, which the official library has verified.
func notices(env *kit.Env, path, secret string, n int) []notice {
	env.T.Helper()
	all := make([]notice, n)
	for i, request := range env.Arrived(path, receiver.Count(n))[:n] {
		require.NoError(env.T, receiver.VerifyMessage(request, secret))
		require.NoError(env.T, json.Unmarshal(request.Body, &all[i]))
		require.Equal(env.T, request.Header.Get("webhook-id"), all[i].WebhookID)
		require.Equal(env.T, "comment", all[i].NotificationSource)
	}
	return all
}

// actions are what a receiver was told that happened, in one order.
func actions(all []notice) []string {
	told := make([]string, len(all))
	for i, one := range all {
		told[i] = one.ActionType
	}
	slices.Sort(told)
	return told
}

func TestSimpleReceiver_3_AThreadThatIsAddedIsToldOnceForItsRoot(t *testing.T) {
	env := kit.NewWorkspace(t)
	id := kit.SimpleAt(env, "/simple", map[string]any{"authToken": "b3BlbjpzZXNhbWU="})
	secret := kit.SecretOf(env, id)
	kit.Annotate(env, kit.Made("d", kit.Annotated("n", kit.Wrote("ann", "one <b>", kit.Loud), kit.Wrote("bob", "two", kit.Loud), kit.Wrote("ann", "three", kit.Loud))))
	kit.Reply(env, kit.Replying(kit.Wrote("bob", "marker", kit.Loud)))
	all := notices(env, "/simple", secret, 4)
	require.Equal(t, []string{"added", "added", "added", "newlyAdded"}, actions(all), "with the marker's")
	body := string(env.Receiver().Requests("/simple")[0].Body)
	assert.Regexp(t, `^\{"webhookId":"msg_[0-9a-z]+","actionType":"[a-zA-Z]+","notificationSource":"comment","commentAnnotation":\{`, body)
	for _, request := range env.Receiver().Requests("/simple") {
		assert.Equal(t, "Basic b3BlbjpzZXNhbWU=", request.Header.Get("authorization"))
	}
	for _, one := range all {
		assert.Equal(t, "n", one.CommentAnnotation.AnnotationID)
		assert.Equal(t, env.Workspace.APIKey, one.Metadata.APIKey)
		if one.ActionType == "newlyAdded" {
			assert.Equal(t, "one <b>", one.TargetComment.CommentText)
		}
	}
}

func TestSimpleReceiver_EveryActionThatIsSwitchedOn(t *testing.T) {
	env := kit.NewWorkspace(t)
	secret := kit.SecretOf(env, kit.SimpleAt(env, "/simple", map[string]any{
		"triggers": map[string]any{"comment_annotation.suggestion_accept": true, "comment.update": false},
	}))
	kit.Annotate(env, kit.Made("d", kit.Suggesting(map[string]any{"targetId": "t"}, kit.Wrote("ann", "one", kit.Loud))))
	kit.Reply(env, kit.Replying(kit.Wrote("ann", "two")))
	changed := func(fields map[string]any) { kit.Gives(env, kit.Updating(fields)) }
	changed(map[string]any{"assignedTo": map[string]any{"userId": "bob"}})
	changed(map[string]any{"status": kit.StatusOf("resolved", "terminal")})
	changed(map[string]any{"priority": kit.PriorityOf("high")})
	changed(map[string]any{"context": map[string]any{"page": 1}})
	changed(map[string]any{"visibility": map[string]any{"type": "restricted", "userIds": []string{"ann"}}})
	changed(kit.Decides("accepted"))
	env.Call(client.UpdateComments, kit.Doc("d", map[string]any{"annotationId": "n", "allComments": true, "updatedData": map[string]any{"commentText": "changed"}}), nil)
	env.Call(client.DeleteComments, kit.Doc("d", map[string]any{"annotationId": "n", "userIds": []string{"ann"}}), nil)
	want := []string{"accessModeChanged", "assigned", "deleted", "deleted", "newlyAdded", "priorityChanged", "statusChanged", "suggestionAccepted"}
	require.Equal(t, want, actions(notices(env, "/simple", secret, len(want))))
	kit.Annotate(env, kit.Made("d", kit.Annotated("later", kit.Wrote("ann", "marker", kit.Loud))))
	later := notices(env, "/simple", secret, len(want)+1)
	require.Equal(t, "newlyAdded", later[len(want)].ActionType, "nothing else came: no comment.update, no update without another visibility")
}

func TestSimpleReceiver_4_OnlyItIsToldWhileTheOthersAreOff(t *testing.T) {
	env := kit.Hooked(kit.NewWorkspace(t))
	other := kit.EndpointAt(env, "/other")
	env.Call(client.SetHooks, map[string]any{"isEnabled": false}, nil)
	id := kit.SimpleAt(env, "/simple")
	secret := kit.SecretOf(env, id)
	kit.Annotate(env, kit.Made("d", kit.Annotated("n", kit.Wrote("ann", "one", kit.Loud))))
	require.Equal(t, []string{"newlyAdded"}, actions(notices(env, "/simple", secret, 1)))
	kit.Hooked(env)
	kit.SetSimple(env, false)
	kit.Reply(env, kit.Replying(kit.Wrote("ann", "two", kit.Loud)))
	require.Equal(t, "comment.add", kit.Heard(env, "/other", 1)[0].Event, "the first of what was told since they are on")
	require.Len(t, env.Receiver().Requests("/simple"), 1)

	env.RefusedAs("FAILED_PRECONDITION", client.RecoverMissed, map[string]any{"endpointId": id, "since": time.Now().Add(-time.Hour).UnixMilli()})
	kit.SetSimple(env, true)
	kit.Recover(env, id, time.Now().Add(-time.Hour))
	require.Equal(t, []string{"added", "newlyAdded"}, actions(notices(env, "/simple", secret, 2)), "what it missed, in its form")
	require.NotEmpty(t, kit.Attempts(env, kit.Of(id)).Attempts)
	require.NotEqual(t, other.ID, id)
}

func TestSimpleReceiver_5_EncryptedAsAllOthersAre(t *testing.T) {
	env := kit.Hooked(kit.NewWorkspace(t))
	key, public := kit.EncryptionKey(t)
	env.Call(client.SetHooks, map[string]any{"encryptData": true, "publicKey": public, "enableDataProtection": true}, nil)
	secret := kit.SecretOf(env, kit.SimpleAt(env, "/simple"))
	env.Receiver().AnswerBy("/simple", kit.Unavailable(2))
	kit.EndpointAt(env, "/told", map[string]any{"filterTypes": []string{"comment_annotation.add"}})
	kit.Annotate(env, kit.Made("d", kit.Annotated("n", kit.Wrote("ann", "one", kit.Loud))))
	tries := env.Arrived("/simple", receiver.Count(2))
	for _, request := range tries {
		require.NoError(t, receiver.VerifyMessage(request, secret))
		require.Equal(t, string(tries[0].Body), string(request.Body), "the same bytes at each try")
	}
	plain := string(decrypted(t, key, tries[0].Body))
	require.Contains(t, plain, `{"webhookId":"`+tries[0].Header.Get("webhook-id")+`","actionType":"newlyAdded","notificationSource":"comment","commentAnnotation":{`)
	require.NotContains(t, plain, "one", "protected as well")
	require.Contains(t, string(decrypted(t, key, env.Arrived("/told", receiver.Count(1))[0].Body)), `{"event":"comment_annotation.add"`)

	env.Call(client.SetHooks, map[string]any{"encryptData": false, "encodeData": true}, nil)
	kit.Reply(env, kit.Replying(kit.Wrote("bob", "two", kit.Loud)))
	var wrapped map[string][]byte
	require.NoError(t, json.Unmarshal(env.Arrived("/simple", receiver.Count(3))[2].Body, &wrapped))
	require.Contains(t, string(wrapped["encodedPayload"]), `"actionType":"added"`)
}

// Its switch ends what waits, and so does what it answers.
func TestSimpleReceiver_ItsSwitchIsThatOfAnEndpoint(t *testing.T) {
	env := kit.Hooked(kit.NewWorkspace(t))
	env.Receiver().Answer("/simple", receiver.Status(503))
	id := kit.SimpleAt(env, "/simple")
	kit.Annotate(env, kit.Made("d", kit.Annotated("n", kit.Wrote("ann", "one", kit.Loud))))
	env.Arrived("/simple", receiver.Count(1))
	kit.SetSimple(env, false)
	kit.RequireEventually(t, "it has ended", func() bool {
		for _, m := range messages(env, map[string]any{"endpointId": id, "status": "failed"}).Messages {
			return *m.Deliveries[0].Class == "endpoint-disabled"
		}
		return false
	})
	env.Receiver().Answer("/simple", receiver.Status(410))
	kit.SetSimple(env, true)
	kit.Reply(env, kit.Replying(kit.Wrote("ann", "two", kit.Loud)))
	kit.RequireEventually(t, "a receiver that is gone is switched off", func() bool { return !kit.SimpleState(env).UseWebhookService })
}

// Ten endpoints that hang hold it up no more than each other.
func TestSimpleReceiver_2_TenEndpointsThatHangDelayNothing(t *testing.T) {
	env := kit.Hooked(kit.NewWorkspace(t))
	h := newHole(t, 10)
	for _, address := range h.Addresses {
		kit.Endpoint(env, "http://"+address+"/told")
	}
	id := kit.SimpleAt(env, "/simple")
	for range 5 {
		kit.Annotate(env, kit.Made("d", kit.Annotated(kit.Unique("n"), kit.Wrote("ann", "one", kit.Loud))))
	}
	kit.RequireEventually(t, "all of them hang", func() bool { return h.Taken.Load() >= 10 })
	kit.Annotate(env, kit.Made("d", kit.Annotated("last", kit.Wrote("ann", "marker", kit.Loud))))
	notices(env, "/simple", kit.SecretOf(env, id), 6)
	kit.RequireEventually(t, "the attempts are recorded", func() bool { return len(kit.Attempts(env, kit.Of(id)).Attempts) == 6 })
	created := map[string]string{}
	for _, m := range messages(env, kit.Of(id)).Messages {
		created[m.ID] = m.CreatedAt
	}
	const hangs = 15 * time.Second // as long as an attempt may take
	for _, a := range kit.Attempts(env, kit.Of(id)).Attempts {
		require.Less(t, instant(t, a.StartedAt).Sub(instant(t, created[a.MessageID])), hangs, "it waited for none that hangs")
	}
}
