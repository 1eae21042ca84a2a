package kit

import (
	"net"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// Hole takes connections and never reads from them. Taken counts them.
type Hole struct {
	Address string
	Taken   atomic.Int64
}

// OpenHole opens a Hole on a free port of loopback; with may do something with each connection.
func OpenHole(t *testing.T, with func(conn net.Conn)) *Hole {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	h := &Hole{Address: listener.Addr().String()}
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			h.Taken.Add(1)
			with(conn)
		}
	}()
	return h
}
