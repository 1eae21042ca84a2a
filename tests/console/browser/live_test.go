package browser

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

// What happens is on an open page by itself, what its reader has opened and typed stays, and what no
// longer can be done is no longer offered.
func TestAnOpenPageLives(t *testing.T) {
	b := openTab(t)
	run := kit.Dispatch(b.env, kit.Define(b.env, []redline.NodeInput{client.Human("review", "ann"), client.Human("print", "bea"), client.Mock("tell")},
		append(client.Both("review", "print"), client.Both("print", "tell")...)...))
	run.WaitsAt("review")
	b.open("/execution?id=" + run.ID)
	b.shows("waiting")
	b.press("Cancel")
	b.fill("Reason", "typed")
	run.Decide("review", "ann", "approve", "good as it is")
	b.shows("ann approved")
	require.Equal(t, "typed true", b.run(`document.getElementById("why-cancel").value + " " + document.getElementById("act-cancel").open`))
	run.WaitsAt("print")
	run.Decide("print", "bea", "approve", "two hundred copies")
	b.shows("execution.completed", "good as it is", "two hundred copies")
	b.await("nothing is offered that has no effect", func() bool { return b.count("#act-cancel, #act-pause, #act-retry") == 0 })
	b.await("who does not see the page is told", func() bool {
		said, _ := b.ask(`document.querySelector("#live > [role=status]").textContent`) // asked again
		return said == "The execution is completed."
	})
}

// An execution that is paused elsewhere offers on an open page to be resumed.
func TestWhatCanBeDoneFollowsWhatHappens(t *testing.T) {
	b := openTab(t)
	run := kit.Dispatch(b.env, kit.SignOff(b.env))
	run.WaitsAt("review")
	b.open("/execution?id=" + run.ID)
	b.press("Pause")
	b.env.Call("workflow/executions/pause", map[string]any{"executionId": run.ID}, nil)
	b.press("Resume")
	b.press("Resume the execution")
	b.shows("Resumed.")
	require.Nil(t, run.View().PausedAt)
}

// What the button of a row sends is what the row shows, also after others have come before it.
func TestRowsThatComeKeepTheirForms(t *testing.T) {
	b := openTab(t)
	b.env.Call("workspace/advancedwebhookconfig/update", map[string]any{"isEnabled": true}, nil)
	var made redline.EndpointResult
	b.env.Call("workspace/advancedwebhook/endpoints/create", map[string]any{"url": b.env.Receiver().URL("/hooks")}, &made)
	const row = "tr:has([name=messageId])"
	attempts := func(n int) {
		t.Helper()
		b.env.Call("workspace/advancedwebhook/endpoints/test", map[string]any{"endpointId": made.Data.ID}, nil)
		b.await(fmt.Sprint("there are attempts: ", n), func() bool { return b.count(row) == n })
	}
	b.open(in("/endpoint", "id", made.Data.ID))
	attempts(1)
	b.press("Request")
	opened := b.run(`document.querySelector("` + row + ` code").innerText`)
	attempts(2)
	attempts(3)
	require.Equal(t, "3", b.run(`String([...document.querySelectorAll("`+row+`")].filter(r => r.querySelector("code").innerText === r.querySelector("[name=messageId]").value).length)`))
	require.Equal(t, opened, b.run(`document.querySelector("`+row+` details[open]").closest("tr").querySelector("code").innerText`), "what was opened stays open")
}
