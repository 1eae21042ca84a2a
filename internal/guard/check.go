package guard

import (
	"fmt"
	"net"
	"net/netip"
	"slices"
	"sync"
	"time"
)

// checkAddr returns the refusal of an address, nil when it may be connected to.
// literal says that the tenant wrote the address itself, not a name.
func (g *Guard) checkAddr(addr netip.Addr, port uint16, kind Kind, literal bool) *Error {
	addr = addr.Unmap()
	if !addr.IsValid() || addr.Zone() != "" {
		return refuse(ruleForm)
	}
	if kind == Relay {
		return nil
	}
	if g.deny.holds(addr, port) {
		return refuse(ruleDenied)
	}
	lifted := g.lifting(kind, literal)
	if slices.Contains(metadataAddrs, addr) {
		if lifted.names(addr, port) {
			return nil
		}
		return refuse(ruleMetadata)
	}
	if lifted.holds(addr, port) {
		if nat64.Contains(addr) {
			return g.checkAddr(embedded(addr), port, kind, literal)
		}
		return nil
	}
	return g.checkUnlisted(addr)
}

func (g *Guard) checkUnlisted(addr netip.Addr) *Error {
	if rule := notPublic(addr); rule != "" {
		return refuse(rule)
	}
	if g.own.has(addr) {
		return refuse(ruleOwn)
	}
	return nil
}

// lifting is the allow-list that counts for a kind. What an execution calls by
// a literal address is never lifted.
func (g *Guard) lifting(kind Kind, literal bool) list {
	switch {
	case !kind.ofWorkflow():
		return g.allow
	case literal:
		return nil
	default:
		return g.workflowAllow
	}
}

// checkName applies the name rule.
func (g *Guard) checkName(name string, kind Kind) *Error {
	if kind == Relay || !refusedName(name) {
		return nil
	}
	if kind.ofWorkflow() && contractName(name) {
		return refuse(ruleName)
	}
	if _, ok := g.allowHosts[name]; ok {
		return nil
	}
	return refuse(ruleName)
}

// ownFor is how long the addresses of the host's interfaces are trusted to be
// the same: reading them is a system call, and they change rarely.
const ownFor = 5 * time.Second

// ownAddrs are the addresses of the host's own interfaces, read again when old.
type ownAddrs struct {
	read func() ([]net.Addr, error)

	mu    sync.Mutex
	at    time.Time
	addrs map[netip.Addr]struct{}
}

func (o *ownAddrs) has(addr netip.Addr) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if time.Since(o.at) > ownFor {
		_ = o.refresh() // the former addresses stand while the system does not answer
	}
	_, ok := o.addrs[addr]
	return ok
}

func (o *ownAddrs) refresh() error {
	found, err := o.read()
	if err != nil {
		return fmt.Errorf("the addresses of this host's interfaces cannot be read: %w", err)
	}
	o.at = time.Now()
	o.addrs = make(map[netip.Addr]struct{}, len(found))
	for _, a := range found {
		if prefix, err := netip.ParsePrefix(a.String()); err == nil {
			o.addrs[prefix.Addr().Unmap().WithZone("")] = struct{}{}
		}
	}
	return nil
}
