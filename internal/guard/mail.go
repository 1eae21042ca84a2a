package guard

import (
	"context"
	"crypto/tls"
	"net"
	"slices"
	"strings"
)

// MailHost is a mail host to connect to. Kind is SMTP or Relay.
type MailHost struct {
	Kind Kind
	Host string
	Port int
	// TLS begins with a handshake; without it the caller may upgrade later.
	TLS bool
}

// CheckHost is CheckURL for a mail host and its port.
func (g *Guard) CheckHost(ctx context.Context, host string, port int) error {
	if _, refusal := g.checkMail(host, port, SMTP); refusal != nil {
		return g.refused(ctx, SMTP, refusal)
	}
	return nil
}

// checkMail reads a mail host and checks it. A workspace's own is connected to at the ports by
// which mail is handed over, not at that by which servers pass it on to each other, unless
// an operator has listed it.
func (g *Guard) checkMail(host string, port int, kind Kind) (target, *Error) {
	t, refusal := mailTarget(host, port, kind)
	if refusal == nil {
		refusal = g.checkTarget(t, kind)
	}
	if refusal == nil && kind == SMTP && !slices.Contains(smtpPorts, t.port) && !g.listed(t) {
		refusal = refuse(rulePort)
	}
	return t, refusal
}

// Listed reports whether an operator's allow-list names a mail host: a name as
// such, an address by a block that holds it.
func (g *Guard) Listed(host string, port int) bool {
	t, refusal := mailTarget(host, port, SMTP)
	return refusal == nil && g.listed(t)
}

func (g *Guard) listed(t target) bool {
	if t.literal.IsValid() {
		return g.allow.holds(t.literal.Unmap(), t.port)
	}
	_, listed := g.allowHosts[t.host]
	return listed
}

// mailTarget is parse for a host that is written without a URL.
func mailTarget(host string, port int, kind Kind) (target, *Error) {
	if port < 1 || port > 65535 || !kind.allowsPort(uint16(port)) {
		return target{}, refuse(rulePort)
	}
	if strings.IndexFunc(host, forbiddenRune) >= 0 || strings.ContainsAny(host, "%@/") {
		return target{}, refuse(ruleForm)
	}
	inner, bracketed := strings.CutPrefix(host, "[")
	if bracketed && !strings.HasSuffix(inner, "]") {
		return target{}, refuse(ruleForm)
	}
	name, literal, refusal := canonicalHost(strings.TrimSuffix(inner, "]"), bracketed)
	return target{host: name, port: uint16(port), literal: literal}, refusal
}

// DialMail opens a connection to a mail host; it is checked like any other
// address of its kind. The settings are those for a later upgrade to TLS. An
// error is a *Error.
func (g *Guard) DialMail(ctx context.Context, m MailHost) (net.Conn, *tls.Config, error) {
	t, refusal := g.checkMail(m.Host, m.Port, m.Kind)
	p := &permit{kind: m.Kind, literal: t.literal.IsValid(), host: t.host, port: t.port}
	if refusal == nil {
		p.addrs, refusal = g.resolve(ctx, t, m.Kind)
	}
	if refusal != nil {
		return nil, nil, g.refused(ctx, m.Kind, refusal)
	}
	open := g.dial
	if m.TLS {
		open = g.dialTLS
	}
	conn, err := open(withPermit(ctx, p), "", "")
	if err != nil {
		return nil, nil, g.refused(ctx, m.Kind, classify(orLate(ctx, err), p.at()))
	}
	return conn, g.settings(t.host), nil
}

// settings are those of every handshake: TLS 1.2 or newer, the name checked.
func (g *Guard) settings(host string) *tls.Config {
	return &tls.Config{ServerName: host, RootCAs: g.roots, MinVersion: tls.VersionTLS12}
}
