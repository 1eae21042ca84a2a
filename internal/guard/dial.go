package guard

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/netip"
	"slices"
	"sync/atomic"
	"syscall"
	"time"
)

// connectLimit ends a connect that nobody answers, before the limit of the
// call is used up; handshakeLimit likewise for a connection that the transport
// goes on opening after its call has ended.
const (
	connectLimit   = 5 * time.Second
	handshakeLimit = 10 * time.Second
)

// stage is how far a call has come; it decides the class of a late one.
type stage int32

const (
	stageResolve stage = iota
	stageConnect
	stageAnswer
)

// judged travels with a call to the dialer: the addresses that passed.
type judged struct {
	kind    Kind
	literal bool
	host    string
	port    uint16
	addrs   []netip.Addr
	stage   atomic.Int32
}

func (j *judged) at() stage              { return stage(j.stage.Load()) }
func (j *judged) reach(s stage)          { j.stage.Store(int32(s)) }
func (j *judged) peer(a netip.Addr) bool { return slices.Contains(j.addrs, a.Unmap()) }

type judgedKey struct{}

func withJudged(ctx context.Context, j *judged) context.Context {
	return context.WithValue(ctx, judgedKey{}, j)
}

var errNoJudgement = errors.New("a connection was asked for without judged addresses")

// dial opens a connection to one of the judged addresses; network and address
// of the transport are not used, there is no second look-up.
func (g *Guard) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	j, ok := ctx.Value(judgedKey{}).(*judged)
	if !ok {
		return nil, errNoJudgement
	}
	ctx, cancel := context.WithTimeout(ctx, connectLimit)
	defer cancel()
	j.reach(stageConnect)
	var failed error
	for i, addr := range j.addrs {
		conn, err := g.dialOne(ctx, j, addr, len(j.addrs)-i)
		if err == nil {
			j.reach(stageAnswer)
			return conn, nil
		}
		failed = errors.Join(failed, err)
	}
	return nil, classify(failed, stageConnect)
}

// dialOne gives an address its share of the time that is left.
func (g *Guard) dialOne(ctx context.Context, j *judged, addr netip.Addr, left int) (net.Conn, error) {
	deadline, _ := ctx.Deadline()
	d := net.Dialer{
		Timeout: time.Until(deadline) / time.Duration(left),
		Control: func(_, address string, _ syscall.RawConn) error { return g.control(j, address) },
	}
	return d.DialContext(ctx, "tcp", netip.AddrPortFrom(addr, j.port).String())
}

// control judges the peer of a socket before it is connected.
func (g *Guard) control(j *judged, address string) error {
	peer, err := netip.ParseAddrPort(address)
	if err != nil || peer.Port() != j.port || !j.peer(peer.Addr()) {
		return refuse(ruleUnjudged)
	}
	if refusal := g.judge(peer.Addr(), peer.Port(), j.kind, j.literal); refusal != nil {
		return refusal
	}
	return nil
}

// dialTLS is dial with a handshake: TLS 1.2 or newer, the name checked.
func (g *Guard) dialTLS(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := g.dial(ctx, network, address)
	if err != nil {
		return nil, err
	}
	j, _ := ctx.Value(judgedKey{}).(*judged)
	settings := g.settings(j.host)
	if !j.kind.ofMail() {
		settings.NextProtos = []string{"http/1.1"}
	}
	secured := tls.Client(conn, settings)
	ctx, cancel := context.WithTimeout(ctx, handshakeLimit)
	defer cancel()
	if err := secured.HandshakeContext(ctx); err != nil {
		_ = conn.Close()
		return nil, handshakeError(err)
	}
	return secured, nil
}

// handshakeError: one that does not end in time is a missing answer, any other
// end of it is the handshake's.
func handshakeError(err error) *Error {
	if classified := classify(err, stageAnswer); classified.Class == ClassTimeout {
		return classified
	}
	return &Error{Class: ClassTLS, cause: err}
}
