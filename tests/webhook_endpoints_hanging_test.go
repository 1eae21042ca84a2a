package tests

import (
	"fmt"
	"net"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
	"github.com/redline-svc/redline/tests/receiver"
)

// hole takes connections and never reads from them.
type hole struct {
	address string
	taken   atomic.Int64
}

// newHole makes one that keeps its connections open.
func newHole(t *testing.T) *hole {
	t.Helper()
	return openHole(t, func(conn net.Conn) { t.Cleanup(func() { _ = conn.Close() }) })
}

// openHole makes one that does something with each connection.
func openHole(t *testing.T, with func(conn net.Conn)) *hole {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	h := &hole{address: listener.Addr().String()}
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			h.taken.Add(1)
			with(conn)
		}
	}()
	return h
}

// hanging gives three workspaces so many endpoints that never answer, with more
// waiting for them than they may have under way.
func (h *hole) hanging(l *lab, url string, n int) []*scene {
	const workspaces = 3
	all := make([]*scene, workspaces)
	for i := range all {
		all[i] = enter(l.t, url).hooked()
		all[i].trusted = l.trusted
		for k := range (n + i) / workspaces {
			all[i].endpoint(fmt.Sprintf("http://%s/%d", h.address, k), onlyCancelled)
		}
		all[i].pileUp(5)
	}
	return all
}

// manyEndpoints lets a workspace have as many endpoints as these stories need.
const manyEndpoints = "REDLINE_MAX_ENDPOINTS=110"

// With a hundred endpoints that hang in three workspaces, one that is well in the
// first of these is told everything while all of them hang.
func TestEndpoints_AHundredThatHangDelayNobody(t *testing.T) {
	const hanging, executions = 100, 20
	l := newLab(t)
	api := l.start("api", manyEndpoints)
	h := newHole(t)
	s := h.hanging(l, api.URL, hanging)[0]
	l.start("worker")
	eventually(t, "all of them hang", func() bool { return h.taken.Load() >= hanging })
	s.endpointAt("/healthy", onlyCancelled)
	s.pileUp(executions)
	s.arrivedAll("/healthy", executions)
}

// With three hundred, the receiver of an execution and the mails of a fourth
// workspace are served as well.
func TestEndpoints_ThreeHundredThatHangDelayNoOtherWorkspace(t *testing.T) {
	const hanging = 300
	l := newLab(t)
	api := l.start("api", manyEndpoints)
	h := newHole(t)
	h.hanging(l, api.URL, hanging)
	l.start("worker")
	eventually(t, "a third of them hang", func() bool { return h.taken.Load() >= hanging/3 })
	fourth := l.begin(api)
	host, config := fourth.ownHost()
	require.NoError(t, host.Open())
	fourth.mailBy(config)
	r := fourth.dispatch(fourth.instant(), func(d *client.Dispatch) {
		d.WebhookURL, d.WebhookSecret = fourth.receiver().URL("/told"), "a secret of some length"
	})
	r.ends("completed")
	fourth.arrived("/told", receiver.Count(eventsEach))
	fourth.mention("marker", mailbox())
	eventually(t, "the mail has come", func() bool { return len(host.Letters()) == 1 })
}
