package guard

import (
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
)

// Names of the variables that a bad value is reported under.
const (
	varAllowCIDRs    = "REDLINE_EGRESS_ALLOW_CIDRS"
	varAllowHosts    = "REDLINE_EGRESS_ALLOW_HOSTS"
	varDenyCIDRs     = "REDLINE_EGRESS_DENY_CIDRS"
	varWorkflowCIDRs = "REDLINE_WORKFLOW_EGRESS_ALLOW_CIDRS"
	varCAFile        = "REDLINE_EGRESS_CA_FILE"
	varResolve       = "REDLINE_EGRESS_RESOLVE"
)

// entry is a block with the ports for which it stands.
type entry struct {
	block     netip.Prefix
	low, high uint16
}

func (e entry) holds(addr netip.Addr, port uint16) bool {
	return e.low <= port && port <= e.high && e.block.Contains(addr)
}

// list is one of the operator's lists.
type list []entry

func (l list) holds(addr netip.Addr, port uint16) bool {
	for _, e := range l {
		if e.holds(addr, port) {
			return true
		}
	}
	return false
}

// names reports whether the list has addr itself as its entry (/32, /128).
func (l list) names(addr netip.Addr, port uint16) bool {
	for _, e := range l {
		if e.block.IsSingleIP() && e.holds(addr, port) {
			return true
		}
	}
	return false
}

// parseList reads entries like 10.0.0.0/8, 127.0.0.0/8:8080 and
// fd00::/8:1024-65535. An allow-list may not open everything; a deny-list has
// no ports.
func parseList(variable string, texts []string, allow bool) (list, error) {
	out := make(list, 0, len(texts))
	for _, text := range texts {
		text = strings.TrimSpace(text)
		if text == "" {
			continue
		}
		e, err := parseEntry(text, allow)
		if err != nil {
			return nil, fmt.Errorf("%s: %q %w", variable, text, err)
		}
		out = append(out, e)
	}
	return out, nil
}

func parseEntry(text string, allow bool) (entry, error) {
	cidr, ports := splitPorts(text)
	block, err := netip.ParsePrefix(cidr)
	if err != nil || block.Addr().Is4In6() {
		return entry{}, errors.New("is not a block of addresses like 192.0.2.0/24 or 2001:db8::/32")
	}
	if allow && block.Bits() == 0 {
		return entry{}, errors.New("would open every address")
	}
	e := entry{block: block.Masked(), low: 0, high: 65535}
	if ports == "" {
		return e, nil
	}
	if !allow {
		return entry{}, errors.New("may not name ports: what is denied is denied on all")
	}
	e.low, e.high, err = parsePorts(ports)
	return e, err
}

// splitPorts divides at the colon after the slash; colons before it belong to
// an IPv6 address.
func splitPorts(text string) (cidr, ports string) {
	slash := strings.LastIndexByte(text, '/')
	if slash < 0 {
		return text, ""
	}
	bits, ports, _ := strings.Cut(text[slash:], ":")
	return text[:slash] + bits, ports
}

func parsePorts(text string) (low, high uint16, err error) {
	first, last, isRange := strings.Cut(text, "-")
	if !isRange {
		last = first
	}
	a, errA := strconv.ParseUint(first, 10, 16)
	b, errB := strconv.ParseUint(last, 10, 16)
	if errA != nil || errB != nil || a == 0 || a > b {
		return 0, 0, errors.New("ends in no port or range of ports from 1 to 65535")
	}
	return uint16(a), uint16(b), nil
}
