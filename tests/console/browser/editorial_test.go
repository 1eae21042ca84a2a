package browser

import (
	"encoding/json"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/receiver"
)

// editorial is the example with the systems around it: the author's and the agent that looks at
// a draft, which answer when the test says so.
type editorial struct {
	env *kit.Env
	run *kit.Run
}

func newEditorial(env *kit.Env) *editorial {
	t := env.T
	env.Call("workspace/emailconfig/update", map[string]any{"useEmailService": true}, nil)
	env.Receiver().Answer("/agent", receiver.JSON(`{"agentExecutionId":"check-1"}`))
	env.Receiver().Answer("/publisher", receiver.JSON(`{"published":true}`))
	kit.Register(env, "copy-checker", map[string]any{"url": env.Receiver().URL("/agent")})
	text, err := os.ReadFile("../../../examples/editorial.json")
	require.NoError(t, err)
	var definition map[string]any
	require.NoError(t, json.Unmarshal([]byte(strings.NewReplacer("<CMS>", env.Receiver().URL("/cms"), "<PUBLISHER>", env.Receiver().URL("/publisher")).Replace(string(text))), &definition))
	definition["webhookConfig"] = map[string]any{"url": env.Receiver().URL("/events"), "secret": kit.Secret} // the secret signs what the steps call
	env.Call(client.CreateDefinition, definition, nil)
	return &editorial{env: env}
}

// handsIn has the author's system answer the request of that number.
func (e *editorial) handsIn(pass, words int) {
	e.env.T.Helper()
	call := kit.ReadLaterCall(e.env.T, e.env.Arrived("/cms", receiver.Count(pass))[pass-1])
	kit.NewOutsider(e.env, call.Callback.TokenHeader, call.Callback.Token).Accepted(map[string]any{"status": "completed", "output": map[string]any{"words": words}})
}

// advises has the agent say its word about the draft of that pass.
func (e *editorial) advises(pass int, word string) {
	e.env.T.Helper()
	var call kit.AgentCall
	require.NoError(e.env.T, json.Unmarshal(e.env.Arrived("/agent", receiver.Count(pass))[pass-1].Body, &call))
	e.env.Call(client.RecordResolution, map[string]any{"executionId": call.ExecutionID, "stepId": call.StepID, "responseId": kit.Unique("r"), "resolution": word}, nil)
}

// decidesAs goes to the inbox of somebody and decides there.
func (b *tab) decidesAs(reviewer, reason, button string) {
	b.env.T.Helper()
	b.actAs(reviewer)
	b.press("Inbox")
	b.shows("Inbox of " + reviewer)
	b.fill("Reason", reason)
	b.press(button)
	b.shows(" as " + reviewer + ".")
}

// A person takes the example from dispatch to publication without reading JSON: they see whom it
// waits for, what was said in the pass before, and what was decided about such things earlier.
func TestTheEditorialExampleIsTakenToPublication(t *testing.T) {
	b := openTab(t)
	e := newEditorial(b.env)
	for _, reviewer := range []string{"carol", "dora"} {
		kit.Record(b.env, kit.Verdict(reviewer, "approved", map[string]any{"reasoning": "The figures are sourced.", "content": "The catalogue of winter, for print"}))
	}
	b.open("/definitions")
	b.press("Editorial process")
	b.press("Dispatch")
	b.fill("With: a line for each, or JSON", "title: The catalogue of summer, for print\ndraftUrl: https://cms.example.com/drafts/7")
	b.pressIn(`form[action="/definition/dispatch"]`, "Dispatch")
	b.shows("Dispatched.", "The catalogue of summer, for print")
	here, err := url.Parse(b.run("location.href"))
	require.NoError(t, err)
	e.run = &kit.Run{S: b.env, ID: here.Query().Get("id")}

	e.handsIn(1, 412)
	e.advises(1, "rejected")
	b.shows("u_brand", "u_product", "u_regional", "2 of 3")
	b.press("Inbox")
	b.await("what was decided before is advice", func() bool {
		b.open("/inbox")
		return strings.Contains(b.text(), "The figures are sourced.")
	})
	b.shows("by 2 judgments of 2 reviewers")
	b.decidesAs("u_brand", "Say which summer this is.", "Reject")

	e.handsIn(2, 418)
	e.advises(2, "resolved")
	e.run.WaitsAt("brand")
	b.open("/inbox")
	b.shows("pass 2", "What happened until here", "Say which summer this is.")
	b.decidesAs("u_brand", "Reads well.", "Approve")
	b.decidesAs("u_product", "The figures are right.", "Approve")

	e.run.WaitsAt("legal-lead")
	b.open("/execution?id=" + e.run.ID)
	b.shows("breached", "u_legal_lead")
	b.decidesAs("u_legal_lead", "No claims.", "Approve")
	b.press("Executions")
	b.press("editorial")
	b.shows("execution.completed", "No claims.", "Say which summer this is.")
	e.run.Ends("completed")
	require.Len(t, b.env.Receiver().Requests("/publisher"), 1)
}
