package console

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/receiver"
)

// An operator finds the endpoint that fails, reads its answer, and sends again once it is mended.
func TestEndpoint_FailureFoundAndSentAgain(t *testing.T) {
	env := kit.NewWorkspace(t)
	v := kit.Visit(env)
	require.Contains(t, v.Open("/endpoints").Text(), "never been switched on")
	v.Submit("/endpoints/on")
	require.Contains(t, v.Open("/endpoints").Text(), "No endpoint yet.")
	env.Receiver().Answer("/hooks", receiver.Answer{Status: http.StatusTeapot, Body: "<b>short and stout</b>"})
	shown := v.Submit("/endpoints/create", "url", env.Receiver().URL("/hooks"), "description", "kettle")
	require.Contains(t, shown.Text(), "Added.")
	here := shown.Address
	id := strings.TrimPrefix(here, "/endpoint?id=")
	v.Submit("/endpoint/test", "id", id)
	kit.RequireEventually(t, "the failed attempt is shown with its answer", func() bool {
		text := v.Open("/endpoint", "id", id, "status", "failed").Text()
		return strings.Contains(text, "HTTP 418") && strings.Contains(text, "<b>short and stout</b>")
	})
	require.Contains(t, v.Open("/endpoints").Text(), "failed")
	env.Receiver().Answer("/hooks", receiver.Answer{Status: http.StatusOK})
	failed := v.Open("/endpoint", "id", id)
	shown = v.Submit("/endpoint/resend", "id", id, "messageId", failed.Field("messageId"))
	require.Contains(t, shown.Text(), "Sent again")
	kit.RequireEventually(t, "it has succeeded", func() bool { return strings.Contains(v.Open("/endpoint", "id", id).Text(), "succeeded") })
}

func TestEndpoint_SwitchedRotatedRecoveredDeleted(t *testing.T) {
	env := kit.NewWorkspace(t)
	v := kit.Visit(env)
	v.Submit("/endpoints/on")
	shown := v.Submit("/endpoints/create", "url", env.Receiver().URL("/hooks"), "types", "webhook.test")
	id := strings.TrimPrefix(shown.Address, "/endpoint?id=")
	require.Contains(t, v.Submit("/endpoint/switch", "id", id, "disabled", "true").Text(), "Disabled:")
	require.Contains(t, v.Submit("/endpoint/switch", "id", id, "disabled", "false").Text(), "Enabled.")
	secret := v.Submit("/endpoint/secret", "id", id).Text()
	require.Contains(t, secret, "whsec_")
	require.NotEqual(t, secret, v.Submit("/endpoint/rotate", "id", id).Text())
	require.Contains(t, v.Submit("/endpoint/recover", "id", id, "hours", "24").Text(), "messages queued again")
	require.Equal(t, http.StatusBadRequest, v.Submit("/endpoint/recover", "id", id, "hours", "many").Code)
	require.Contains(t, v.Submit("/endpoint/delete", "id", id).Text(), "No endpoint yet.")
	require.Equal(t, http.StatusNotFound, v.Open("/endpoint", "id", id).Code)
}
