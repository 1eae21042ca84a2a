package browser

import (
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/receiver"
)

// What waits and what failed is on the first page, by itself, and leads on.
func TestTheOverviewLeadsToWhatWaits(t *testing.T) {
	b := openTab(t)
	b.open("/")
	b.shows("Nobody is waited for.", "No execution has failed.", "No endpoint is told of anything.", "Use, plan")
	run := kit.Dispatch(b.env, kit.SignOff(b.env))
	run.WaitsAt("review")
	b.shows("ann", "1 started, 0 failed, 1 still open")
	b.press("review")
	b.shows("step.awaiting-approval")
	require.Contains(t, b.run("location.href"), run.ID)
}

// The list is filtered by typing, and shows what is dispatched meanwhile.
func TestExecutionsAreFiltered(t *testing.T) {
	b := openTab(t)
	b.open("/executions")
	b.shows("Nothing has been dispatched yet.")
	definition := kit.SignOff(b.env)
	wanted := kit.Dispatch(b.env, definition, kit.Key("article:7"))
	other := kit.Dispatch(b.env, definition)
	b.shows(wanted.ID, other.ID)
	b.fill("Idempotency key", "article:7")
	b.press("Filter")
	b.hides(other.ID)
	b.shows(wanted.ID)
	b.press("Show all")
	b.shows(other.ID)
	other.Cancel()
	b.choose("Status", "cancelled")
	b.hides(wanted.ID)
	b.shows(other.ID)
	b.choose("Status", "failed")
	b.shows("No execution is like this.")
	b.press("Show all")
	b.choose("Started", "in the last hour")
	b.shows(wanted.ID, other.ID)
}

// An operator pauses, resumes and cancels by clicking.
func TestAnExecutionIsOperated(t *testing.T) {
	b := openTab(t)
	run := kit.Dispatch(b.env, kit.SignOff(b.env))
	run.WaitsAt("review")
	b.open("/execution?id=" + run.ID)
	b.press("Pause")
	b.fill("Reason", "lunch")
	b.press("Pause the execution")
	b.shows("Paused: nothing new starts", "paused", "lunch")
	b.press("Resume")
	b.press("Resume the execution")
	b.shows("Resumed.")
	b.press("Cancel")
	b.fill("Reason", "no longer wanted")
	b.press("Cancel the execution")
	b.shows("Cancelled.", "no longer wanted")
	require.Equal(t, redline.ExecutionStatusCancelled, run.View().Status)
}

// A step is taken from one reviewer and given to another, and an operator overrides it.
func TestAStepIsReassignedAndOverridden(t *testing.T) {
	b := openTab(t)
	run := kit.Dispatch(b.env, kit.SignOff(b.env))
	run.WaitsAt("review")
	b.open("/execution?id=" + run.ID)
	b.press("Reassign")
	b.fill("To", "bob 🦊")
	b.fill("You are", "boss")
	b.pressIn(`form[action="/step/reassign"]`, "Reassign")
	b.shows("Reassigned.", "bob 🦊")
	b.press("Override as an operator")
	b.choose("Do", "force-approve")
	b.fill("You are", "boss")
	b.pressIn(`form[action="/step/resolve"]`, "Override")
	b.shows("Done.", "execution.completed")
	run.Ends("completed")
}

// What failed is found by its error, tried again, and its events are sent again.
func TestWhatFailedIsRetriedAndSentAgain(t *testing.T) {
	b := openTab(t)
	kit.Fails(b.env, "/publish")
	run := kit.Dispatch(b.env, kit.Define(b.env, []redline.NodeInput{client.Hook("publish", b.env.Receiver().URL("/publish"))}), kit.WithReceiver(b.env, "/events"))
	run.Ends("failed")
	b.open("/")
	b.shows("Failed last")
	b.press(run.View().DefinitionID)
	b.shows("execution.failed")
	b.press("Retry what failed")
	b.fill("Reason", "the printer is back")
	b.press("Retry")
	b.shows("Tried again from where it failed.")
	run.Ends("completed")
	run.Delivered()
	b.shows("execution.completed", "the printer is back", "delivered")
	before := len(b.env.Receiver().Requests("/events"))
	b.press("Send again")
	b.shows("Queued again")
	b.env.Arrived("/events", receiver.Count(before+1))
}

// A definition is written, changed, compared with what it was and dispatched by words.
func TestADefinitionIsWrittenComparedAndDispatched(t *testing.T) {
	b := openTab(t)
	b.open("/definitions")
	b.press("Write the first one")
	b.shows("valid")
	b.press("Save")
	b.shows("Saved as version 1.")
	b.press("Edit")
	b.shows("Edit version 1")
	text := b.run(`document.getElementById("definition").value`)
	b.fill("Definition (JSON)", strings.Replace(text, "My approval", "Our approval <b>", 1))
	b.press("Save a new version")
	b.shows("Saved as version 2.", "Our approval <b>")
	b.press("Compare with 2")
	b.shows(`"name": "Our approval <b>"`, `"name": "My approval"`)
	b.press("Dispatch")
	b.fill("With: a line for each, or JSON", "title: Spring\npages: 412")
	b.pressIn(`form[action="/definition/dispatch"]`, "Dispatch")
	b.shows("Dispatched.", "Spring", "412", "waiting")
	require.Zero(t, b.count("main b"), "markup is text")
}

// An operator finds the endpoint that fails, reads what it answers, has it mended and sends again.
func TestAFailingEndpointIsFoundAndSentToAgain(t *testing.T) {
	b := openTab(t)
	b.env.Receiver().Answer("/hooks", receiver.Answer{Status: http.StatusTeapot, Body: "<b>short and stout</b>"})
	b.open("/endpoints")
	b.press("Switch webhooks on")
	b.shows("No endpoint yet.")
	b.press("Add an endpoint")
	b.fill("Address", b.env.Receiver().URL("/hooks"))
	b.fill("Description", "kettle 🫖")
	b.press("Add")
	b.shows("Added.")
	run := kit.Dispatch(b.env, kit.SignOff(b.env))
	run.WaitsAt("review")
	b.open("/")
	b.shows("failed")
	b.press(short(b.env.Receiver().URL("/hooks")))
	b.shows("HTTP 418", "<b>short and stout</b>")
	b.press("Request")
	b.shows("POST "+b.env.Receiver().URL("/hooks"), `"event":"`, `"executionId":"`+run.ID)
	b.env.Receiver().Answer("/hooks", receiver.Status(http.StatusOK))
	b.press("Only failed")
	b.shows("HTTP 418")
	sent := len(b.env.Receiver().Requests("/hooks"))
	b.press("Send again")
	b.shows("Sent again")
	b.env.Arrived("/hooks", receiver.Count(sent+1))
	b.shows("HTTP 200", "succeeded")
	b.press("Recover")
	b.pressIn(`form[action="/endpoint/recover"]`, "Recover")
	b.shows("messages queued again")
}

// short is an address as the overview shows it, of which the beginning is enough.
func short(address string) string { return address[:min(len(address), 40)] }

// A test is sent, the secret looked at and replaced, the endpoint switched off and deleted.
func TestAnEndpointIsLookedAfter(t *testing.T) {
	b := openTab(t)
	b.open("/endpoints")
	b.press("Switch webhooks on")
	b.press("Add an endpoint")
	b.fill("Address", b.env.Receiver().URL("/hooks"))
	b.press("Add")
	b.press("Send a test")
	b.shows("A test is on its way", "webhook.test", "HTTP 200")
	b.press("Show the secret")
	b.shows("whsec_")
	secret := b.run(`document.querySelector(".secret code").innerText`)
	b.press("Back")
	b.press("More")
	b.press("Rotate the secret")
	b.shows("New secret of the endpoint")
	require.NotEqual(t, secret, b.run(`document.querySelector(".secret code").innerText`))
	b.press("Back")
	b.press("Disable")
	b.shows("Disabled: nothing is sent to it")
	b.press("Enable")
	b.shows("Enabled.")
	b.press("More")
	b.press("Delete")
	b.shows("No endpoint yet.")
}

// Two hundred steps, of which a loop made half, are drawn and told of.
func TestAGraphOfTwoHundredSteps(t *testing.T) {
	b := openTab(t)
	run := kit.Dispatch(b.env, kit.LongLoop(b.env))
	run.WaitsAt(kit.LongLoopsPerson)
	run.Decide(kit.LongLoopsPerson, "ann", "reject", "again")
	kit.RequireEventually(t, "the second pass waits", func() bool { return len(kit.Steps(run.View(), kit.LongLoopsPerson)) == 2 })
	b.open("/execution?id=" + run.ID)
	b.shows("pass 2")
	require.Equal(t, 100, b.count("svg .node"))
	require.GreaterOrEqual(t, b.count("details.step"), 198)
	b.do(chromedp.Click(chromedp.CSS(`a[href^="#step-step_` + kit.LongLoopsPerson + `"]`)))
	require.Contains(t, b.run("location.hash"), kit.LongLoopsPerson)
}
