package execution

import (
	"encoding/json"
	"maps"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/activities/activitytest"
	"github.com/redline-svc/redline/internal/definition"
	"github.com/redline-svc/redline/internal/guard"
	"github.com/redline-svc/redline/internal/interpreter"
	"github.com/redline-svc/redline/models/agent"
	"github.com/redline-svc/redline/models/execution"
)

// asked makes the call of an agent's node at noon.
func (r *receiver) asked(t *testing.T, contact *agent.Contact) interpreter.Outcome {
	t.Helper()
	call := webhookCall(func(c *execution.StepCall) {
		c.Webhook, c.Agent, c.Contact = nil, &definition.Agent{AgentID: "checker"}, contact
	})
	agents := &AgentCaller{client: func(string) sender { return r }}
	return agents.Call(t.Context(), call, func() time.Time { return noon })
}

func TestOutcomesOfAgents(t *testing.T) {
	for name, c := range map[string]struct {
		reply *guard.Response
		err   error
		kind  interpreter.OutcomeKind
		code  string
		after int64
	}{
		"200":                  {activitytest.Answer(200, `{}`), nil, interpreter.Success, "", 0},
		"202 without a body":   {activitytest.Answer(202, ``), nil, interpreter.Success, "", 0},
		"302":                  {activitytest.Answer(302, ``, "location", "https://other.example.com"), nil, interpreter.Permanent, codeAgentRefused, 0},
		"400":                  {activitytest.Answer(400, ``), nil, interpreter.Permanent, codeAgentRefused, 0},
		"408":                  {activitytest.Answer(408, ``, "retry-after", "7"), nil, interpreter.Transient, codeAgentUnreachable, 0},
		"429":                  {activitytest.Answer(429, ``, "retry-after", "7"), nil, interpreter.Transient, codeAgentUnreachable, 7000},
		"499":                  {activitytest.Answer(499, ``), nil, interpreter.Permanent, codeAgentRefused, 0},
		"500 with retry-after": {activitytest.Answer(500, ``, "retry-after", "7"), nil, interpreter.Transient, codeAgentUnreachable, 0},
		"503 with a date":      {activitytest.Answer(503, ``, "retry-after", "Mon, 04 May 2026 12:01:00 GMT"), nil, interpreter.Transient, codeAgentUnreachable, 60_000},
		"no answer":            {nil, &guard.Error{Class: guard.ClassTimeout}, interpreter.Transient, codeAgentUnreachable, 0},
		"no name":              {nil, &guard.Error{Class: guard.ClassDNS}, interpreter.Transient, codeAgentUnreachable, 0},
		"no proof of its name": {nil, &guard.Error{Class: guard.ClassTLS}, interpreter.Transient, codeAgentUnreachable, 0},
		"refused":              {nil, &guard.Error{Class: guard.ClassRefused, Rule: "private"}, interpreter.Permanent, codeAgentBlocked, 0},
		"broken body":          {&guard.Response{Status: 200, BodyErr: &guard.Error{Class: guard.ClassTimeout}}, nil, interpreter.Transient, codeAgentUnreachable, 0},
	} {
		r := &receiver{reply: c.reply, err: c.err}
		o := r.asked(t, &agent.Contact{Name: "Checker", URL: "https://agents.example.com/", Secrets: [][]byte{[]byte("the secret of an agent")}})
		require.Equal(t, "https://agents.example.com/", r.got.URL, name)
		require.Equal(t, []any{c.kind, c.code, c.after}, []any{o.Kind, o.Code, o.RetryAfterMs}, name)
		require.Equal(t, 4, o.Call, name)
		require.NotContains(t, o.Message, "private", "the rule is not for the tenant")
		if c.err == nil && c.reply.BodyErr == nil {
			require.Equal(t, c.reply.Status, o.HTTPStatus, name)
		} else {
			require.Zero(t, o.HTTPStatus, name)
		}
		require.Equal(t, map[bool]string{true: "Checker"}[c.kind == interpreter.Success], o.Agent.AgentName, name)
	}
}

func TestNothingIsSentToAgentsThatMayNotBeCalled(t *testing.T) {
	for code, contact := range map[string]*agent.Contact{
		codeAgentMissing:  nil,
		codeAgentDisabled: {URL: "https://agents.example.com/", Disabled: true},
	} {
		r := &receiver{reply: activitytest.Answer(200, `{}`)}
		o := r.asked(t, contact)
		require.Equal(t, []any{interpreter.Permanent, code, 4}, []any{o.Kind, o.Code, o.Call})
		require.Empty(t, r.got.URL)
	}
}

// Each of fifty names may lead to all that an execution was dispatched with: the largest become null.
func TestWhatAnAgentIsHandedIsHeldToTheLimitOfAnInput(t *testing.T) {
	node := &definition.Agent{AgentID: "checker", UserContextMapping: map[string]string{"short": "short"}, InputMapping: map[string]string{"short": "execution.input.short"}}
	for i := range 49 {
		node.UserContextMapping[strconv.Itoa(i)] = "long"
		node.InputMapping[strconv.Itoa(i)] = "execution.input.long"
	}
	body := agentBody(webhookCall(func(c *execution.StepCall) {
		c.Webhook, c.Agent, c.Contact = nil, node, &agent.Contact{}
		c.TriggerContext = json.RawMessage(`{"short":1,"long":"` + strings.Repeat("x", 200<<10) + `"}`)
	}), "https://redline.test")
	require.Less(t, len(body), 1<<20)
	var sent struct {
		Input struct{ UserContext, Parameters map[string]any }
	}
	require.NoError(t, json.Unmarshal(body, &sent))
	for _, handed := range []map[string]any{sent.Input.UserContext, sent.Input.Parameters} {
		require.Len(t, handed, 50)
		require.EqualValues(t, 1, handed["short"])
		maps.DeleteFunc(handed, func(_ string, value any) bool { return value == nil })
		require.Len(t, handed, 2)
	}
}
