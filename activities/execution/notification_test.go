package execution

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/activities/activitytest"
	"github.com/redline-svc/redline/internal/definition"
	"github.com/redline-svc/redline/internal/guard"
	"github.com/redline-svc/redline/internal/interpreter"
	"github.com/redline-svc/redline/internal/webhook"
	"github.com/redline-svc/redline/models/delivery"
	"github.com/redline-svc/redline/models/execution"
	"github.com/redline-svc/redline/models/mail"
)

// post plays whoever hands mails over: what becomes of the mail to an address, and
// how long it takes.
type post struct {
	mu      sync.Mutex
	settled map[int]webhook.Class
	err     error
	becomes map[string]mail.StepMailed
	takes   time.Duration
	sent    []mail.StepMail
	atOnce  int
	most    int
}

func (p *post) Settled(context.Context, string, string, string) (map[int]webhook.Class, error) {
	return p.settled, p.err
}

func (p *post) SendStep(ctx context.Context, m mail.StepMail) mail.StepMailed {
	p.mu.Lock()
	p.sent = append(p.sent, m)
	p.atOnce++
	p.most = max(p.most, p.atOnce)
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.atOnce--
	}()
	select {
	case <-ctx.Done():
		return mail.StepMailed{Class: webhook.Timeout}
	case <-time.After(p.takes):
	}
	if done, other := p.becomes[m.To]; other {
		return done
	}
	return mail.StepMailed{Result: delivery.MailSent, Class: webhook.OK}
}

// recipients are the addresses that mails were tried to.
func (p *post) recipients() (all []string) {
	for _, m := range p.sent {
		all = append(all, m.To)
	}
	return all
}

func mailCall(to ...string) *execution.StepCall {
	return webhookCall(func(c *execution.StepCall) {
		c.Webhook, c.NodeName = nil, "Publish"
		c.Notification = &definition.Notification{Channel: "email", Format: "text", BodyTemplate: "{{execution.triggerContext.t}} {{step.retryCount}}", Recipients: to}
	})
}

func slackCall(format, body string) *execution.StepCall {
	return webhookCall(func(c *execution.StepCall) {
		c.Webhook = nil
		c.Notification = &definition.Notification{Channel: "slack", Format: format, BodyTemplate: body, SlackTarget: "https://hooks.example.com/x"}
	})
}

func (p *post) called(t *testing.T, call *execution.StepCall) (interpreter.Outcome, notificationOutput) {
	t.Helper()
	outcome := (&NotificationCaller{mails: p}).Call(t.Context(), call, func() time.Time { return noon })
	var out notificationOutput
	if outcome.Output != nil {
		require.NoError(t, json.Unmarshal(outcome.Output, &out))
	}
	return outcome, out
}

func ended(result string, class webhook.Class) mail.StepMailed {
	return mail.StepMailed{Result: result, Class: class}
}

func TestWhatAMailSays(t *testing.T) {
	p := &post{}
	outcome, out := p.called(t, mailCall("a@x.org", "b@x.org", "a@x.org"))
	require.Equal(t, interpreter.Success, outcome.Kind)
	require.Equal(t, 4, outcome.Call)
	require.Equal(t, 2, outcome.Delivered)
	require.Equal(t, notificationOutput{"email", 2, []missed{}}, out)
	require.ElementsMatch(t, []string{"a@x.org", "b@x.org"}, p.recipients(), "one mail for each address")
	require.Equal(t, "Publish", p.sent[0].Subject, "the name of the node")
	require.Equal(t, "a<b 0", p.sent[0].Text)
	require.Contains(t, p.sent[0].HTML, "a&lt;b 0")

	call := mailCall("a@x.org")
	call.Notification.SubjectTemplate = "About\n{{execution.correlationId}}{{execution.input.none}}"
	p.called(t, call)
	require.Equal(t, "About corr_1", p.sent[2].Subject)
}

func TestWhatBecomesOfTheMailsOfAStep(t *testing.T) {
	const ann, bob = "a@x.org", "b@x.org"
	refused, busy := ended(delivery.MailFailed, "recipient-refused"), ended("", "temporary")
	off, noRelay := ended(delivery.MailDisabled, webhook.MailsDisabled), ended("", mail.ClassNoRelay)
	quota := ended(delivery.MailFailed, mail.ClassRelayQuota)
	for name, c := range map[string]struct {
		becomes map[string]mail.StepMailed
		kind    interpreter.OutcomeKind
		code    string
		tried   int
	}{
		"one of two":                {map[string]mail.StepMailed{ann: refused}, interpreter.Success, "", 2},
		"one for good, one maybe":   {map[string]mail.StepMailed{ann: refused, bob: busy}, interpreter.Transient, codeMailsFailed, 2},
		"both for good":             {map[string]mail.StepMailed{ann: refused, bob: refused}, interpreter.Permanent, codeMailsFailed, 2},
		"switched off":              {map[string]mail.StepMailed{ann: off, bob: off}, interpreter.Permanent, codeMailsOff, 1},
		"no relay":                  {map[string]mail.StepMailed{ann: noRelay, bob: noRelay}, interpreter.Permanent, codeMailsOff, 1},
		"the host is away":          {map[string]mail.StepMailed{ann: ended("", "unreachable")}, interpreter.Transient, codeMailsFailed, 1},
		"the guard says no":         {map[string]mail.StepMailed{ann: ended(delivery.MailFailed, "refused-by-policy")}, interpreter.Permanent, codeMailsFailed, 1},
		"the quota is used up":      {map[string]mail.StepMailed{ann: quota}, interpreter.Permanent, codeMailsFailed, 1},
		"later, where one was in":   {map[string]mail.StepMailed{bob: ended("", "unreachable")}, interpreter.Success, "", 2},
		"both refused by and maybe": {map[string]mail.StepMailed{ann: busy, bob: ended("", "timeout")}, interpreter.Transient, codeMailsFailed, 2},
	} {
		p := &post{becomes: c.becomes}
		round := &mailRound{tried: map[int]mail.StepMailed{}}
		call := mailCall(ann, bob)
		for position, to := range call.Notification.Recipients { // one after the other
			round.send(t.Context(), p, mail.StepMail{Position: position, To: to})
		}
		outcome := round.outcome(call)
		require.Equal(t, c.kind, outcome.Kind, name)
		require.Equal(t, c.code, outcome.Code, name)
		require.Len(t, p.sent, c.tried, name)
		require.NotContains(t, outcome.Message, "@", name)
	}
}

func TestALaterTryGoesToThoseNotReached(t *testing.T) {
	p := &post{settled: map[int]webhook.Class{0: webhook.OK, 2: "recipient-refused"}, becomes: map[string]mail.StepMailed{"b@x.org": ended("", "temporary")}}
	outcome, out := p.called(t, mailCall("a@x.org", "b@x.org", "c@x.org"))
	require.Equal(t, []string{"b@x.org"}, p.recipients())
	require.Equal(t, interpreter.Success, outcome.Kind, "an earlier try reached somebody")
	require.Equal(t, notificationOutput{"email", 1, []missed{{"b@x.org", "temporary"}, {"c@x.org", "recipient-refused"}}}, out)

	p = &post{err: errors.New("the database is away")}
	outcome, _ = p.called(t, mailCall("a@x.org"))
	require.Equal(t, interpreter.Transient, outcome.Kind)
	require.Empty(t, p.sent, "who knows who was reached")
}

// A host that needs long for each mail: some are under way at once, and the call ends in
// its time with whom it reached.
func TestTheMailsOfAStepHaveOneLimitTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var to []string
		for i := range 50 {
			to = append(to, fmt.Sprintf("u%d@x.org", i))
		}
		p := &post{takes: 25 * time.Second}
		began := time.Now()
		outcome, out := p.called(t, mailCall(to...))
		require.Equal(t, 60*time.Second, time.Since(began))
		require.Equal(t, interpreter.Success, outcome.Kind)
		require.Equal(t, 2*mailsAtOnce, outcome.Delivered)
		require.Equal(t, mailsAtOnce, p.most)
		require.Len(t, out.Failed, 50-2*mailsAtOnce)
		require.Equal(t, webhook.Timeout, out.Failed[0].Class)
	})
}

func TestARequestToSlack(t *testing.T) {
	for _, c := range []struct {
		format, body, want string
	}{
		{"text", "{{execution.triggerContext.t}}", `{"text":"a<b"}`},
		{"html", "{{execution.triggerContext.t}}", `{"text":"a&lt;b"}`},
		{"slack-blocks", `[{"text":"{{execution.triggerContext.t}}"}]`, `{"blocks":[{"text":"a<b"}]}`},
	} {
		r := &receiver{reply: activitytest.Answer(200, "ok")}
		outcome := r.posted(t, slackCall(c.format, c.body))
		require.Equal(t, interpreter.Success, outcome.Kind, c.format)
		require.Equal(t, 1, outcome.Delivered)
		require.JSONEq(t, `{"channel":"slack","delivered":1,"failed":[]}`, string(outcome.Output))
		require.JSONEq(t, c.want, string(r.got.Body))
		require.Equal(t, "https://hooks.example.com/x", r.got.URL)
		require.Equal(t, "4", r.got.Header.Get("x-svc-attempt"))
	}
}

func (r *receiver) posted(t *testing.T, call *execution.StepCall) interpreter.Outcome {
	t.Helper()
	caller := &NotificationCaller{client: func(string) sender { return r }}
	return caller.Call(t.Context(), call, func() time.Time { return noon })
}

func TestWhatSlacksAnswerMeans(t *testing.T) {
	strict, err := guard.New(guard.Options{})
	require.NoError(t, err)
	_, refused := strict.Client("x", guard.Step).Send(t.Context(), guard.Request{Method: "POST", URL: "https://10.0.0.1/"})
	require.True(t, guard.Refused(refused))
	for name, c := range map[string]struct {
		reply *guard.Response
		err   error
		kind  interpreter.OutcomeKind
		code  string
	}{
		"no channel": {activitytest.Answer(404, "channel_not_found"), nil, interpreter.Permanent, codeSlackFailed},
		"redirect":   {activitytest.Answer(302, ""), nil, interpreter.Permanent, codeSlackFailed},
		"busy":       {activitytest.Answer(503, ""), nil, interpreter.Transient, codeSlackFailed},
		"limited":    {activitytest.Answer(429, ""), nil, interpreter.Transient, codeSlackFailed},
		"away":       {nil, errors.New("refused"), interpreter.Transient, codeSlackFailed},
		"blocked":    {nil, refused, interpreter.Permanent, codeSlackBlocked},
	} {
		r := &receiver{reply: c.reply, err: c.err}
		outcome := r.posted(t, slackCall("text", "x"))
		require.Equal(t, c.kind, outcome.Kind, name)
		require.Equal(t, c.code, outcome.Code, name)
		require.Equal(t, 4, outcome.Call, name)
	}
}

func TestTextsThatAreNotSent(t *testing.T) {
	large := strings.Repeat("{{execution.triggerContext.long}}", 5)
	for _, call := range []*execution.StepCall{slackCall("text", large), mailCall("a@x.org"), mailCall("a@x.org")} {
		call.TriggerContext = json.RawMessage(`{"long":"` + strings.Repeat("x", 60_000) + `"}`)
		if call.Notification.Channel == "email" {
			call.Notification.SubjectTemplate = large
		}
		require.Equal(t, codeTextTooLarge, (&NotificationCaller{}).Call(t.Context(), call, func() time.Time { return noon }).Code)
	}
	for _, body := range []string{"", "[", `{"a":1}`, "null", `"text"`} {
		outcome := (&receiver{}).posted(t, slackCall("slack-blocks", body))
		require.Equal(t, codeBlocksInvalid, outcome.Code, body)
		require.Equal(t, interpreter.Permanent, outcome.Kind)
	}
}
