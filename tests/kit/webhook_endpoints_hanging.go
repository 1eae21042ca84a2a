package kit

import (
	"net"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// Hole takes connections at its addresses, each an origin of its own, and never reads from
// them. Taken counts them.
type Hole struct {
	Addresses []string
	Taken     atomic.Int64
}

// OpenHole opens a Hole on n free ports of loopback; with may do something with each connection.
func OpenHole(t *testing.T, n int, with func(conn net.Conn)) *Hole {
	t.Helper()
	h := &Hole{}
	for range n {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		t.Cleanup(func() { _ = listener.Close() })
		h.Addresses = append(h.Addresses, listener.Addr().String())
		go h.take(listener, with)
	}
	return h
}

func (h *Hole) take(listener net.Listener, with func(conn net.Conn)) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		h.Taken.Add(1)
		with(conn)
	}
}
