package webhook

import (
	"fmt"
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/receiver"
)

// newHole makes one of n origins that keeps its connections open.
func newHole(t *testing.T, n int) *kit.Hole {
	t.Helper()
	return kit.OpenHole(t, n, func(conn net.Conn) { t.Cleanup(func() { _ = conn.Close() }) })
}

// hangingEndpoints returns three workspaces with an endpoint at each address of the hole, with
// more waiting for them than they may have under way.
func hangingEndpoints(h *kit.Hole, isolated *kit.IsolatedStack, url string) []*kit.Env {
	const workspaces = 3
	n := len(h.Addresses)
	all := make([]*kit.Env, workspaces)
	for i := range all {
		all[i] = kit.Hooked(kit.NewWorkspaceAt(isolated.T, url))
		all[i].Trusted = isolated.Trusted
		for k := i; k < n; k += workspaces {
			kit.Endpoint(all[i], fmt.Sprintf("http://%s/%d", h.Addresses[k], k), onlyCancelled)
		}
		kit.PileUp(all[i], 5)
	}
	return all
}

// manyEndpoints lets a workspace have as many endpoints as these tests need.
const manyEndpoints = "REDLINE_MAX_ENDPOINTS=110"

// With a hundred endpoints that hang in three workspaces, one that is well in the
// first of these is told everything while all of them hang.
func TestEndpoints_AHundredThatHangDelayNobody(t *testing.T) {
	const hanging, executions = 100, 20
	isolated := kit.NewIsolatedStack(t)
	api := isolated.StartProcess("api", manyEndpoints)
	h := newHole(t, hanging)
	env := hangingEndpoints(h, isolated, api.URL)[0]
	isolated.StartProcess("worker")
	kit.RequireEventually(t, "all of them hang", func() bool { return h.Taken.Load() >= hanging })
	kit.EndpointAt(env, "/healthy", onlyCancelled)
	kit.CancelWaiting(env, executions)
	kit.ArrivedAll(env, "/healthy", executions)
}

// With three hundred, the receiver of an execution and the mails of a fourth
// workspace are served as well.
func TestEndpoints_ThreeHundredThatHangDelayNoOtherWorkspace(t *testing.T) {
	const hanging = 300
	isolated := kit.NewIsolatedStack(t)
	api := isolated.StartProcess("api", manyEndpoints)
	h := newHole(t, hanging)
	hangingEndpoints(h, isolated, api.URL)
	isolated.StartProcess("worker")
	kit.RequireEventually(t, "a third of them hang", func() bool { return h.Taken.Load() >= hanging/3 })
	fourth := isolated.NewWorkspace(api)
	host, config := kit.OwnHost(fourth)
	require.NoError(t, host.Open())
	kit.MailBy(fourth, config)
	r := kit.Dispatch(fourth, kit.Instant(fourth), func(d *redline.DispatchRequest) {
		d.WebhookURL, d.WebhookSecret = new(fourth.Receiver().URL("/told")), new("a secret of some length")
	})
	r.Ends("completed")
	fourth.Arrived("/told", receiver.Count(kit.EventsEach))
	kit.Mention(fourth, "marker", kit.Mailbox())
	kit.RequireEventually(t, "the mail has come", func() bool { return len(host.Letters()) == 1 })
}
