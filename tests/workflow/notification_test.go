package workflow

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/receiver"
)

// posting is a workspace whose workspace mails by a host of its own, which is open.
func posting(t *testing.T) (*kit.Env, *receiver.MailHost) {
	t.Helper()
	env := kit.NewWorkspace(t)
	host, config := kit.OwnHost(env)
	require.NoError(t, host.Open())
	kit.MailBy(env, config)
	return env, host
}

// published are the types of all external events.
func published(r *kit.Run) (types []string) {
	r.S.T.Helper()
	for _, e := range r.Events() {
		types = append(types, e.Type)
	}
	return types
}

// lettersTo are the mails that a host took for a recipient.
func lettersTo(host *receiver.MailHost, to string) []receiver.Letter {
	return slices.DeleteFunc(host.Letters(), func(l receiver.Letter) bool { return l.To != to })
}

// unsent is the output of a notification that reached nobody, for one reason.
func unsent(class string, to ...string) map[string]any {
	failed := []any{}
	for _, recipient := range to {
		failed = append(failed, map[string]any{"recipient": recipient, "class": class})
	}
	return map[string]any{"channel": "email", "delivered": 0.0, "failed": failed}
}

func TestNotificationMailsItsRecipients(t *testing.T) {
	env, host := posting(t)
	ann, bob := kit.Mailbox(), kit.Mailbox()
	mail := client.With(client.Letter("mail", "{{execution.triggerContext.n}} & {{input.none}}{{execution.triggerContext.webhookAuth}}|{{step.nodeId}} {{execution.input.list}}", ann, bob, ann), "subjectTemplate", "Not published: {{execution.triggerContext.title}}")
	definition := kit.Define(env, []redline.NodeInput{mail, client.Mock("after")}, client.Always("mail", "after"))
	r := kit.Dispatch(env, definition, kit.WithReceiver(env, "/events"), kit.Input(json.RawMessage(
		`{"title":"A\r\nBcc: eve@example.com <b>","n":9007199254740993,"list":[1, {"a":"i"}],"webhookAuth":{"mail":"hidden-token"}}`)))
	view := r.Ends("completed")
	require.Equal(t, map[string]any{"channel": "email", "delivered": 2.0, "failed": []any{}}, output(t, view.Steps[0]))
	require.JSONEq(t, `{"channel":"email","delivered":2}`, string(r.Events("step.completed")[0].Data))
	require.Equal(t, []string{"execution.dispatched", "step.completed", "step.completed", "execution.completed"}, published(r))
	require.Len(t, host.Letters(), 2, "one mail for each")
	for _, to := range []string{ann, bob} {
		letter := lettersTo(host, to)[0]
		require.Equal(t, "desk@tests.example.com", letter.From)
		require.Equal(t, "Not published: A Bcc: eve@example.com <b>", letter.Header.Get("Subject"))
		require.Empty(t, letter.Header.Get("Bcc"))
		require.Equal(t, "auto-generated", letter.Header.Get("Auto-Submitted"))
		require.Contains(t, letter.Body, `9007199254740993 & |mail [1,{"a":"i"}]`)
		require.Contains(t, letter.Body, `9007199254740993 &amp; |mail [1,{&#34;a&#34;:&#34;i&#34;}]`)
		require.NotContains(t, letter.Body, "hidden-token")
	}
	require.NotEqual(t, host.Letters()[0].Header.Get("Message-Id"), host.Letters()[1].Header.Get("Message-Id"))
	env.Arrived("/events", receiver.Count(4))
}

// HTML is that of the definition, as far as comments may have it; values are text in it.
// Without a subject the mail has the name of its node.
func TestNotificationInHTML(t *testing.T) {
	env, host := posting(t)
	mail := client.With(client.Letter("mail", `<p onclick="x()">Dear <b>{{execution.triggerContext.name}}</b></p><script>steal()</script>`, kit.Mailbox()), "format", "html")
	mail.Name = new("Tell the author")
	kit.Notifies(env, mail, kit.Input(map[string]any{"name": "<img src=x>"})).Ends("completed")
	letter := host.Letters()[0]
	require.Equal(t, "Tell the author", letter.Header.Get("Subject"))
	require.Contains(t, letter.Body, "<p>Dear <b>&lt;img src=3Dx&gt;</b></p>")
	require.Contains(t, letter.Body, "Dear <img src=3Dx>", "the part in plain text")
	for _, harm := range []string{"onclick", "script", "steal()"} {
		require.NotContains(t, letter.Body, harm)
	}
}

func TestNotificationToSlack(t *testing.T) {
	env := kit.NewWorkspace(t)
	trigger := kit.Input(map[string]any{"title": `"Spring" <b>`})
	for _, c := range []struct{ format, template, want string }{
		{"text", "New: {{execution.triggerContext.title}}", `{"text":"New: \"Spring\" <b>"}`},
		{"html", "New: {{execution.triggerContext.title}}", `{"text":"New: &#34;Spring&#34; &lt;b&gt;"}`},
		{"slack-blocks", `[{"type":"header","text":"{{execution.triggerContext.title}}"}]`, `{"blocks":[{"type":"header","text":"\"Spring\" <b>"}]}`},
	} {
		path := "/" + c.format
		r := kit.Notifies(env, client.With(client.Slack("tell", c.template, env.Receiver().URL(path)), "format", c.format), trigger)
		view := r.Ends("completed")
		require.Equal(t, map[string]any{"channel": "slack", "delivered": 1.0, "failed": []any{}}, output(t, view.Steps[0]))
		require.JSONEq(t, `{"channel":"slack","delivered":1}`, string(r.Events("step.completed")[0].Data))
		request := env.Receiver().Requests(path)[0]
		require.JSONEq(t, c.want, string(request.Body))
		require.Equal(t, view.Steps[0].StepID, request.Header.Get("x-svc-event-id"))
		require.Empty(t, request.Header.Get("x-svc-signature"))
	}
}

// What fails for good fails at the first try.
func TestNotificationErrors(t *testing.T) {
	env := kit.NewWorkspace(t)
	target := env.Receiver()
	target.Answer("/gone", receiver.Status(410))
	target.Answer("/moved", receiver.Answer{Status: 302, Header: map[string]string{"location": target.URL("/target")}})
	long := kit.Input(map[string]any{"text": strings.Repeat("x", 60_000)})
	fivefold := strings.Repeat("{{execution.triggerContext.text}}", 5)
	for name, c := range map[string]struct {
		node redline.NodeInput
		code string
	}{
		"off":         {client.Letter("tell", "x", kit.Mailbox()), "notification-email-not-configured"},
		"large mail":  {client.Letter("tell", fivefold, kit.Mailbox()), "notification-too-large"},
		"large post":  {client.Slack("tell", fivefold, target.URL("/never")), "notification-too-large"},
		"no JSON":     {client.With(client.Slack("tell", "[{{execution.triggerContext.none}}", target.URL("/never")), "format", "slack-blocks"), "notification-slack-blocks-invalid-json"},
		"no array":    {client.With(client.Slack("tell", "null", target.URL("/never")), "format", "slack-blocks"), "notification-slack-blocks-invalid-json"},
		"no channel":  {client.Slack("tell", "x", target.URL("/gone")), "notification-slack-api-error"},
		"a different": {client.Slack("tell", "x", target.URL("/moved")), "notification-slack-api-error"},
	} {
		r := kit.Notifies(env, c.node, long)
		view := r.Ends("failed")
		assert.Equal(t, c.code, view.Steps[0].Error.Code, name)
		assert.Equal(t, "step-failed", view.FailureReason.Code, name)
		assert.Empty(t, history(r, "step.retried"), name)
		var data map[string]any
		require.NoError(t, json.Unmarshal(r.Events("step.failed")[0].Data, &data))
		assert.Equal(t, "permanent", data["retryClass"], name)
		assert.Equal(t, client.ConfigOf(c.node)["channel"], data["channel"], name)
	}
	require.Empty(t, target.Requests("/never"))
	require.Empty(t, target.Requests("/target"), "redirects are never followed")
}

func TestNotificationToSlackTriesAgain(t *testing.T) {
	env := kit.NewWorkspace(t)
	env.Receiver().AnswerBy("/busy", func(n int, _ receiver.Request) receiver.Answer {
		return []receiver.Answer{{Status: 503}, {Status: 200}}[n-1]
	})
	env.Receiver().AnswerBy("/later", func(n int, _ receiver.Request) receiver.Answer {
		return []receiver.Answer{{Status: 429, Header: map[string]string{"retry-after": "4"}}, {Status: 200}}[n-1]
	})
	for path, pause := range map[string]int64{"/busy": 2000, "/later": 4000} {
		r := kit.Notifies(env, client.Slack("tell", "x", env.Receiver().URL(path)))
		r.Ends("completed")
		requests := env.Receiver().Requests(path)
		require.Len(t, requests, 2)
		require.Equal(t, "1", requests[1].Header.Get("x-svc-attempt"))
		require.Equal(t, requests[0].Header.Get("x-svc-event-id"), requests[1].Header.Get("x-svc-event-id"))
		require.Equal(t, string(requests[0].Body), string(requests[1].Body))
		require.Equal(t, pause, nextTryIn(r))
	}
}

// One recipient reached is enough. Where none is, only what may pass is tried again.
func TestNotificationOneRecipientIsEnough(t *testing.T) {
	env, host := posting(t)
	taken, gone, busy := kit.Mailbox(), kit.Mailbox(), kit.Mailbox()
	host.RefuseRecipient(gone, 550)
	host.RefuseRecipient(busy, 450)
	r := kit.Notifies(env, client.Letter("mail", "x", gone, taken, busy))
	view := r.Ends("completed")
	require.Equal(t, map[string]any{"channel": "email", "delivered": 1.0, "failed": []any{
		map[string]any{"recipient": gone, "class": "recipient-refused"}, map[string]any{"recipient": busy, "class": "temporary"},
	}}, output(t, view.Steps[0]))
	require.JSONEq(t, `{"channel":"email","delivered":1}`, string(r.Events("step.completed")[0].Data))

	refused := kit.Notifies(env, client.Letter("mail", "x", gone))
	view = refused.Ends("failed")
	require.Equal(t, "notification-email-delivery-failed", view.Steps[0].Error.Code)
	require.Equal(t, unsent("recipient-refused", gone), output(t, view.Steps[0]))
	require.Empty(t, history(refused, "step.retried"))

	again := kit.Notifies(env, client.Letter("mail", "x", gone, busy))
	kit.RequireEventually(t, "the first try has failed", func() bool { return len(history(again, "step.retried")) == 1 })
	require.EqualValues(t, 2000, nextTryIn(again))
	host.RefuseRecipient(busy, 250)
	host.RefuseRecipient(gone, 250)
	view = again.Ends("completed")
	require.Equal(t, map[string]any{"channel": "email", "delivered": 1.0, "failed": []any{
		map[string]any{"recipient": gone, "class": "recipient-refused"},
	}}, output(t, view.Steps[0]), "who was refused for good is not asked again")
	require.Empty(t, lettersTo(host, gone))
	require.Len(t, lettersTo(host, busy), 1)
}

// A host that is away, or refuses the login, costs a try each time; the mail goes by the
// settings of the moment.
func TestNotificationWhileTheHostIsAway(t *testing.T) {
	env := kit.NewWorkspace(t)
	host, config := kit.OwnHost(env)
	config["username"], config["password"] = "desk", "the password"
	kit.MailBy(env, config)
	to := kit.Mailbox()
	r := kit.Notifies(env, client.Letter("mail", "x", to))
	kit.RequireEventually(t, "the first try has failed", func() bool { return len(history(r, "step.retried")) == 1 })
	require.Equal(t, "unreachable", kit.Emails(env).LastFailure.Class)
	require.Equal(t, unsent("unreachable", to), output(t, r.Step("mail")))
	require.NoError(t, host.Open())
	r.Ends("completed")
	require.Len(t, host.Letters(), 1)

	host.RefuseLogins()
	refused := kit.Notifies(env, client.Letter("mail", "x", to))
	kit.RequireEventually(t, "the login is refused", func() bool { return len(history(refused, "step.retried")) == 1 })
	require.Equal(t, "auth", kit.Emails(env).LastFailure.Class)
	env.Call(client.UpdateEmails, map[string]any{"useEmailService": false}, nil)
	view := refused.Ends("failed")
	require.Equal(t, "notification-email-not-configured", view.Steps[0].Error.Code)
	require.Len(t, host.Letters(), 1)
}

// A host that takes its time for one recipient delays no other one.
func TestNotificationToASlowHost(t *testing.T) {
	env, host := posting(t)
	slow, others := kit.Mailbox(), []string{kit.Mailbox(), kit.Mailbox(), kit.Mailbox()}
	held, release := host.HoldOnly(slow)
	r := kit.Notifies(env, client.Letter("mail", "x", append([]string{slow}, others...)...))
	kit.RequireReached(t, "the host has the mail", held)
	for _, to := range others {
		kit.RequireEventually(t, "the others", func() bool { return len(lettersTo(host, to)) == 1 })
	}
	require.Equal(t, redline.StepStatusRunning, r.Step("mail").Status)
	release()
	require.EqualValues(t, 4, output(t, r.Ends("completed").Steps[0])["delivered"])
	require.Len(t, host.Letters(), 4)
}

// A loop that is used up tells the author, by mail, why nothing is published.
func TestNotificationAtTheEndOfALoop(t *testing.T) {
	env, host := posting(t)
	to := kit.Mailbox()
	notice := client.With(client.Letter("tell-author", "{{input.rejectionReason}}", to), "subjectTemplate", "Not published: {{execution.triggerContext.title}}")
	r := kit.Dispatch(env, kit.Define(env,
		[]redline.NodeInput{client.Mock("author"), client.Human("review", "ann"), client.Mock("publish"), notice},
		client.Always("author", "review"), client.Approve("review", "publish"), client.Back("review", "author", 1), client.On("exhausted", "review", "tell-author"),
	), kit.Input(map[string]any{"title": "Spring"}))
	r.WaitsAt("review")
	r.Decide("review", "ann", "reject", "too loud")
	second := newestStep(r, "review")
	_, err := env.Workspace.Decide(env.Ctx, r.Decision(second.StepID, "ann", "reject", "still too loud"))
	require.NoError(t, err)
	r.Ends("completed")
	letter := lettersTo(host, to)[0]
	require.Equal(t, "Not published: Spring", letter.Header.Get("Subject"))
	require.Contains(t, letter.Body, "still too loud")
	published := published(r)
	require.Equal(t, []string{"step.completed", "loop.exhausted", "step.completed", "execution.completed"}, published[len(published)-4:])
}

// An address that may not be called any more is refused at the call: nothing is sent,
// nothing tried again.
func TestNotificationToAnAddressThatTurnedPrivate(t *testing.T) {
	env, _ := kit.NewVariantWorkspace(t, kit.TurnedPrivate)
	r := kit.Notifies(env, client.Slack("tell", "x", env.Receiver().URL("/slack")))
	view := r.Ends("failed")
	require.Equal(t, "notification-slack-url-blocked", view.Steps[0].Error.Code)
	require.Empty(t, history(r, "step.retried"))
	require.Empty(t, env.Receiver().Requests("/slack"))
}

// The operator's relay serves so many recipients a day, those of steps included.
func TestNotificationByTheOperatorsRelayHasItsQuota(t *testing.T) {
	env, _ := kit.NewVariantWorkspace(t, kit.Tight)
	kit.MailBy(env, map[string]any{})
	view := kit.Notifies(env, client.Letter("mail", "x", kit.Mailbox(), kit.Mailbox(), kit.Mailbox())).Ends("completed")
	found := output(t, view.Steps[0])
	require.EqualValues(t, 2, found["delivered"])
	failed, _ := found["failed"].([]any)
	require.Len(t, failed, 1)
	require.Equal(t, "relay-quota", failed[0].(map[string]any)["class"])
	more := kit.Notifies(env, client.Letter("mail", "x", kit.Mailbox()))
	require.Equal(t, "notification-email-delivery-failed", more.Ends("failed").Steps[0].Error.Code)
	require.Empty(t, history(more, "step.retried"))
}

// The switches of triggers are for mails about comments and reviews.
func TestNotificationIgnoresTriggers(t *testing.T) {
	env, host := posting(t)
	kit.MailBy(env, map[string]any{"triggers": redline.MailTriggers{}})
	kit.Notifies(env, client.Letter("mail", "x", kit.Mailbox())).Ends("completed")
	require.Len(t, host.Letters(), 1)
}
