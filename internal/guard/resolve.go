package guard

import (
	"context"
	"net"
	"net/netip"
	"time"
)

// resolveLimit is how long one look-up may take.
const resolveLimit = 5 * time.Second

// resolver finds the addresses of a canonical name.
type resolver interface {
	lookup(ctx context.Context, name string) ([]netip.Addr, error)
}

// systemResolver answers the operator's pairs first, then asks DNS with Go's
// own resolver: the C library may read other sources and spell numbers its way.
type systemResolver struct {
	pairs map[string][]netip.Addr
	dns   *net.Resolver
}

func newResolver(pairs []string) (resolver, error) {
	known, err := parsePairs(pairs)
	if err != nil {
		return nil, err
	}
	return &systemResolver{pairs: known, dns: &net.Resolver{PreferGo: true}}, nil
}

// lookup asks for A and AAAA of the absolute name: no search list.
func (r *systemResolver) lookup(ctx context.Context, name string) ([]netip.Addr, error) {
	if addrs, ok := r.pairs[name]; ok {
		return addrs, nil
	}
	ctx, cancel := context.WithTimeout(ctx, resolveLimit)
	defer cancel()
	return r.dns.LookupNetIP(ctx, "ip", name+".")
}

// resolve returns the addresses to dial. All of them must pass: a good answer
// beside a refused one is not used.
func (g *Guard) resolve(ctx context.Context, t target, kind Kind) ([]netip.Addr, *Error) {
	if t.literal.IsValid() {
		return []netip.Addr{t.literal.Unmap()}, nil // checked with its form
	}
	found, err := g.resolver.lookup(ctx, t.host)
	if err != nil || len(found) == 0 {
		return nil, &Error{Class: ClassDNS, cause: err}
	}
	addrs := make([]netip.Addr, len(found))
	for i, addr := range found {
		if refusal := g.checkAddr(addr, t.port, kind, false); refusal != nil {
			return nil, refusal
		}
		addrs[i] = addr.Unmap()
	}
	return addrs, nil
}
