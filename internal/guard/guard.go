package guard

import (
	"context"
	"crypto/x509"
	"fmt"
	"net"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/redline-svc/redline/internal/pace"
	"github.com/redline-svc/redline/internal/slots"
)

// Options are the operator's settings, as in the variables of the same names.
type Options struct {
	AllowCIDRs         []string // REDLINE_EGRESS_ALLOW_CIDRS: endpoints, mail
	AllowHosts         []string // REDLINE_EGRESS_ALLOW_HOSTS: names that pass the name rule
	WorkflowAllowCIDRs []string // REDLINE_WORKFLOW_EGRESS_ALLOW_CIDRS: what executions call
	DenyCIDRs          []string // REDLINE_EGRESS_DENY_CIDRS: refused whatever allows it
	CAFile             string   // REDLINE_EGRESS_CA_FILE: PEM, beside the system's roots
	Resolve            []string // REDLINE_EGRESS_RESOLVE: name=address, before DNS
	// OnRefused is called with the rule of each refusal, when an address is written as when
	// it is called, for the operator's metric and log; may be nil.
	OnRefused func(ctx context.Context, kind Kind, rule string)
}

// Guard checks addresses and opens connections to those that pass. It is safe
// for many goroutines.
type Guard struct {
	allow, workflowAllow, deny list
	allowHosts                 map[string]struct{}
	roots                      *x509.CertPool
	own                        *ownAddrs
	resolver                   resolver
	onRefused                  func(ctx context.Context, kind Kind, rule string)
	pace                       *pace.Origins
	// large has a place for each large answer that is in memory.
	large *slots.Slots

	mu      sync.Mutex
	clients map[clientKey]*Client
	swept   time.Time
}

// New checks the settings; a bad one is an error that names its variable.
func New(o Options) (*Guard, error) {
	g := &Guard{
		allowHosts: map[string]struct{}{}, clients: map[clientKey]*Client{},
		own: &ownAddrs{read: net.InterfaceAddrs}, onRefused: o.OnRefused, pace: pace.New(time.Now),
		large: slots.New(largeAtOnce),
	}
	var err error
	if g.allow, err = parseList(varAllowCIDRs, o.AllowCIDRs, true); err != nil {
		return nil, err
	}
	if g.workflowAllow, err = parseList(varWorkflowCIDRs, o.WorkflowAllowCIDRs, true); err != nil {
		return nil, err
	}
	if g.deny, err = parseList(varDenyCIDRs, o.DenyCIDRs, false); err != nil {
		return nil, err
	}
	if g.allowHosts, err = parseHosts(o.AllowHosts); err != nil {
		return nil, err
	}
	if g.roots, err = readRoots(o.CAFile); err != nil {
		return nil, err
	}
	if g.resolver, err = newResolver(o.Resolve); err != nil {
		return nil, err
	}
	return g, g.own.refresh()
}

// CheckURL checks an address as it is written, without resolving its name; the
// error is a *Error of class ClassRefused.
func (g *Guard) CheckURL(ctx context.Context, raw string, kind Kind) error {
	if _, refusal := g.check(raw, kind); refusal != nil {
		return g.refused(ctx, kind, refusal)
	}
	return nil
}

func (g *Guard) check(raw string, kind Kind) (target, *Error) {
	t, refusal := parse(raw, kind)
	if refusal == nil {
		refusal = g.checkTarget(t, kind)
	}
	return t, refusal
}

func (g *Guard) checkTarget(t target, kind Kind) *Error {
	if kind == Provider && t.url.Scheme == "http" && !g.listed(t) {
		return refuse(ruleScheme)
	}
	if t.literal.IsValid() {
		return g.checkAddr(t.literal, t.port, kind, true)
	}
	return g.checkName(t.host, kind)
}

// Origin returns scheme, host and port of an address in canonical form, the key
// under which deliveries to it share concurrency and connections. An address that
// the form check refuses is its own origin.
func Origin(raw string, kind Kind) string {
	t, refusal := parse(raw, kind)
	if refusal != nil {
		return raw
	}
	return t.origin()
}

func (t target) origin() string {
	return t.url.Scheme + "://" + net.JoinHostPort(t.host, strconv.FormatUint(uint64(t.port), 10))
}

// Pace returns the pace of requests to origins that have not proved to want them, of all that the process calls.
func (g *Guard) Pace() *pace.Origins { return g.pace }

func parseHosts(texts []string) (map[string]struct{}, error) {
	out := make(map[string]struct{}, len(texts))
	for _, text := range texts {
		text = strings.TrimSpace(text)
		if text == "" {
			continue
		}
		name, literal, refusal := canonicalHost(text, false)
		if refusal != nil || literal.IsValid() {
			return nil, fmt.Errorf("%s: %q is not a name", varAllowHosts, text)
		}
		out[name] = struct{}{}
	}
	return out, nil
}

// readRoots returns the system's roots with the operator's added.
func readRoots(file string) (*x509.CertPool, error) {
	roots, err := x509.SystemCertPool()
	if err != nil {
		roots = x509.NewCertPool()
	}
	if file == "" {
		return roots, nil
	}
	pem, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", varCAFile, err)
	}
	if !roots.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s: the file holds no certificate", varCAFile)
	}
	return roots, nil
}

// parsePairs reads name=address; a name may occur more than once.
func parsePairs(texts []string) (map[string][]netip.Addr, error) {
	out := map[string][]netip.Addr{}
	for _, text := range texts {
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		left, right, _ := strings.Cut(text, "=")
		addr, err := netip.ParseAddr(strings.TrimSpace(right))
		name, literal, refusal := canonicalHost(strings.TrimSpace(left), false)
		if err != nil || refusal != nil || literal.IsValid() {
			return nil, fmt.Errorf("%s: %q is not a pair name=address", varResolve, text)
		}
		out[name] = append(out[name], addr)
	}
	return out, nil
}
