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

// permit travels with a call to the dialer: the addresses that passed.
type permit struct {
	kind    Kind
	literal bool
	host    string
	port    uint16
	addrs   []netip.Addr
	stage   atomic.Int32
}

func (p *permit) at() stage              { return stage(p.stage.Load()) }
func (p *permit) reach(s stage)          { p.stage.Store(int32(s)) }
func (p *permit) peer(a netip.Addr) bool { return slices.Contains(p.addrs, a.Unmap()) }

type permitKey struct{}

func withPermit(ctx context.Context, p *permit) context.Context {
	return context.WithValue(ctx, permitKey{}, p)
}

var errNoPermit = errors.New("a connection was asked for without permitted addresses")

// dial opens a connection to one of the permitted addresses; network and address
// of the transport are not used, there is no second look-up.
func (g *Guard) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	p, ok := ctx.Value(permitKey{}).(*permit)
	if !ok {
		return nil, errNoPermit
	}
	ctx, cancel := context.WithTimeout(ctx, connectLimit)
	defer cancel()
	p.reach(stageConnect)
	var failed error
	for i, addr := range p.addrs {
		conn, err := g.dialOne(ctx, p, addr, len(p.addrs)-i)
		if err == nil {
			p.reach(stageAnswer)
			return conn, nil
		}
		failed = errors.Join(failed, err)
	}
	return nil, classify(failed, stageConnect)
}

// dialOne gives an address its share of the time that is left.
func (g *Guard) dialOne(ctx context.Context, p *permit, addr netip.Addr, left int) (net.Conn, error) {
	deadline, _ := ctx.Deadline()
	d := net.Dialer{
		Timeout: time.Until(deadline) / time.Duration(left),
		Control: func(_, address string, _ syscall.RawConn) error { return g.control(p, address) },
	}
	return d.DialContext(ctx, "tcp", netip.AddrPortFrom(addr, p.port).String())
}

// control checks the peer of a socket before it is connected.
func (g *Guard) control(p *permit, address string) error {
	peer, err := netip.ParseAddrPort(address)
	if err != nil || peer.Port() != p.port || !p.peer(peer.Addr()) {
		return refuse(rulePeer)
	}
	if refusal := g.checkAddr(peer.Addr(), peer.Port(), p.kind, p.literal); refusal != nil {
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
	p, _ := ctx.Value(permitKey{}).(*permit)
	settings := g.settings(p.host)
	if !p.kind.ofMail() {
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
