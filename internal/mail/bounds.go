package mail

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"net"
)

// What a host may cost, which a workspace chooses: RFC 5321 has lines of up to 512
// bytes, and no host says more than a few KiB in all.
const (
	// maxReplies is how many bytes of a host's answers are read in one try.
	maxReplies = 64 << 10
	// maxReplyLine is how long one line of them may be, in bytes.
	maxReplyLine = 2 << 10
)

var errReplies = errors.New("the host answers more than is read of it")

// boundedConn reads no more of a host than the limits allow. Once it has failed it
// stays so.
type boundedConn struct {
	net.Conn
	read, line int
	failed     error
}

// Read reads answers as far as they are within the limits.
func (c *boundedConn) Read(p []byte) (int, error) {
	if c.failed != nil {
		return 0, c.failed
	}
	n, err := c.Conn.Read(p)
	if c.count(p[:n]); c.failed != nil {
		return 0, c.failed
	}
	return n, err
}

// count adds what was read to the total and to the line that it belongs to.
func (c *boundedConn) count(text []byte) {
	c.read += len(text)
	for len(text) > 0 && c.failed == nil {
		end := bytes.IndexByte(text, '\n')
		if end < 0 {
			c.line += len(text)
			text = nil
		} else {
			c.line += end
			text = text[end+1:]
		}
		if c.line > maxReplyLine || c.read > maxReplies {
			c.failed = errReplies
		}
		if end >= 0 {
			c.line = 0
		}
	}
}

// secure makes a handshake; what is read afterwards is what came through it.
func (c *boundedConn) secure(ctx context.Context, settings *tls.Config) error {
	secured := tls.Client(c.Conn, settings)
	if err := secured.HandshakeContext(ctx); err != nil {
		return err
	}
	c.Conn = secured
	return nil
}
