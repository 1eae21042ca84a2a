package browser

import (
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

// Wrong credentials are refused with what the interface said, and those that no longer open
// anything end an open page by themselves.
func TestCredentialsThatAreWrongOrOver(t *testing.T) {
	env := kit.NewWorkspace(t)
	kit.TakeSlot(t, kit.IsolatedSlots)
	b := openTabAt(env, kit.ConsoleURL())
	b.open("/executions")
	b.fill("API key", env.Workspace.APIKey)
	b.fill("Its auth token", "kat_\u202ewrong 🦊")
	b.press("Log in")
	b.shows("These credentials are not known", "req_")
	b.forgive("401")
	b.fill("Its auth token", env.Workspace.AuthToken)
	b.press("Log in")
	b.shows("Nothing has been dispatched yet.")
	require.Equal(t, "/executions", b.run("location.pathname"), "it leads back to where the reader wanted to go")
	_, err := client.Call[any](env.Ctx, env.Owner, client.ResetToken, map[string]any{"apiKey": env.Workspace.APIKey})
	require.NoError(t, err)
	b.shows("no longer open anything")
}

// What another workspace has is not there, whatever stands in the address.
func TestIdsOfAnotherWorkspace(t *testing.T) {
	b := openTab(t)
	other := kit.Elsewhere(b.env)
	withThread(other, 1)
	run := kit.Dispatch(other, kit.SignOff(other))
	run.WaitsAt("review")
	source := kit.Ingest(other, "Every press note must name the year.")
	other.Call("workspace/advancedwebhookconfig/update", map[string]any{"isEnabled": true}, nil)
	var made redline.EndpointResult
	other.Call("workspace/advancedwebhook/endpoints/create", map[string]any{"url": other.Receiver().URL("/hooks")}, &made)
	b.env.Call("workspace/advancedwebhookconfig/update", map[string]any{"isEnabled": true}, nil)
	for _, address := range []string{
		"/execution?id=" + run.ID, "/definition?id=" + run.View().DefinitionID, in("/document", "organization", organization, "id", document),
		in("/thread", "organization", organization, "document", document, "id", "a1"), "/source?id=" + source, "/endpoint?id=" + made.Data.ID,
	} {
		b.open(address)
		b.shows("There is nothing here")
		b.forgive("404")
	}
	b.open(in("/documents", "organization", organization))
	b.shows("Nothing in here.")
	b.open("/inbox")
	b.shows("Nothing waits")
	require.Equal(t, redline.ExecutionStatusRunning, run.View().Status)
}

// A page outlives the death of the service: it says that the connection is lost, and goes on.
func TestAnOpenPageOutlivesTheService(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	service := isolated.StartProcess("serve")
	env := isolated.NewWorkspace(service)
	run := kit.Dispatch(env, kit.SignOff(env))
	run.WaitsAt("review")
	b := openTabAt(env, service.Console)
	b.logIn()
	b.open("/execution?id=" + run.ID)
	b.shows("waiting")
	service.Kill()
	b.shows("The connection is lost.")
	isolated.Restart(service)
	run.Decide("review", "ann", "approve", "said after the restart")
	b.shows("execution.completed", "said after the restart")
	b.hides("The connection is lost.")
	b.forgive("ERR_CONNECTION_REFUSED", "Failed to fetch")
}

// What needs Weaviate or Temporal says so while it is away; everything else goes on.
func TestPartsThatAreAway(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	index, searches := kit.BeforePart(t, "REDLINE_WEAVIATE_ADDR"), kit.BeforePart(t, "REDLINE_WEAVIATE_GRPC_ADDR")
	service := isolated.StartProcess("serve", "REDLINE_WEAVIATE_ADDR="+index.Addr(), "REDLINE_WEAVIATE_GRPC_ADDR="+searches.Addr())
	env := isolated.NewWorkspace(service)
	kit.BroughtIn(env, kit.Ingest(env, "Every press note must name the year."), "completed")
	for _, reviewer := range []string{"carol", "dora"} {
		kit.Record(env, kit.Verdict(reviewer, "approved", map[string]any{"reasoning": "The year is on the cover.", "content": "Spring"}))
	}
	kit.Remembers(env)
	definition := kit.SignOff(env)
	run := kit.Dispatch(env, definition, kit.Input(map[string]any{"title": "Spring"}))
	run.WaitsAt("review")
	b := openTabAt(env, service.Console)
	b.logIn()
	index.Down()
	searches.Down()
	b.open("/search?q=year")
	b.shows("Every press note must name the year.", "The index of what is known is away")
	b.actAs("ann")
	b.open("/inbox")
	b.shows("A part of the service is away", "Spring")
	b.fill("Reason", "needs no index")
	b.press("Approve")
	b.shows("Approved as ann.")
	run.Ends("completed")
	isolated.Temporal.Down()
	b.open("/definition?id=" + definition)
	b.press("Dispatch")
	b.pressIn(`form[action="/definition/dispatch"]`, "Dispatch")
	b.shows("Dispatched.", "it begins as soon as Temporal takes it")
	require.NoError(t, isolated.Temporal.Up())
	b.shows("step.awaiting-approval")
}
