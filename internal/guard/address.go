package guard

import (
	"net/netip"
	"slices"
)

// class is a block of addresses that is not public, with the word for it.
type class struct {
	rule   string
	blocks []netip.Prefix
}

// ipv4Classes: IPv4 is public except for these blocks (IANA special-purpose
// registry, and the host address of one cloud platform).
var ipv4Classes = []class{
	{"this-network", prefixes("0.0.0.0/8")},
	{"private", prefixes("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16")},
	{"shared", prefixes("100.64.0.0/10")},
	{"loopback", prefixes("127.0.0.0/8")},
	{"link-local", prefixes("169.254.0.0/16")},
	{"protocol", prefixes("192.0.0.0/24")},
	{"documentation", prefixes("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24")},
	{"relay-6to4", prefixes("192.88.99.0/24")},
	{"as112", prefixes("192.175.48.0/24", "192.31.196.0/24")},
	{"benchmark", prefixes("198.18.0.0/15")},
	{"multicast", prefixes("224.0.0.0/4")},
	{"reserved", prefixes("240.0.0.0/4")},
	{"amt", prefixes("192.52.193.0/24")},
	{"cloud-host", prefixes("168.63.129.16/32")},
}

// ipv6Public is the only block of IPv6 that may be public; ipv6Classes are
// taken out of it.
var (
	ipv6Public  = netip.MustParsePrefix("2000::/3")
	ipv6Classes = []class{
		{"protocol", prefixes("2001::/23")},
		{"documentation", prefixes("2001:db8::/32", "3fff::/20")},
		{"translated-6to4", prefixes("2002::/16")},
		{"as112", prefixes("2620:4f:8000::/48")},
	}
)

// nat64 carries an IPv4 address in its last four bytes.
var nat64 = netip.MustParsePrefix("64:ff9b::/96")

// metadataAddrs hand out a machine's credentials: they pass only when an
// allow-list names exactly them.
var metadataAddrs = []netip.Addr{
	netip.MustParseAddr("169.254.169.254"), netip.MustParseAddr("169.254.170.2"), netip.MustParseAddr("169.254.170.23"),
	netip.MustParseAddr("100.100.100.200"), netip.MustParseAddr("192.0.0.192"), netip.MustParseAddr("168.63.129.16"),
	netip.MustParseAddr("fd00:ec2::254"), netip.MustParseAddr("fd20:ce::254"),
}

func prefixes(texts ...string) []netip.Prefix {
	out := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		out[i] = netip.MustParsePrefix(text)
	}
	return out
}

// notPublic returns the rule that makes addr not public; empty for a public one.
// addr is not in its IPv4-mapped form.
func notPublic(addr netip.Addr) string {
	if addr.Is4() {
		return classOf(addr, ipv4Classes)
	}
	if !ipv6Public.Contains(addr) {
		return ruleForbidden
	}
	if isatap(addr) {
		return "isatap"
	}
	return classOf(addr, ipv6Classes)
}

func classOf(addr netip.Addr, classes []class) string {
	for _, c := range classes {
		if slices.ContainsFunc(c.blocks, func(p netip.Prefix) bool { return p.Contains(addr) }) {
			return c.rule
		}
	}
	return ""
}

// isatap: an interface id of 0000:5efe or 0200:5efe is followed by an IPv4
// address to which routers tunnel.
func isatap(addr netip.Addr) bool {
	b := addr.As16()
	return (b[8] == 0 || b[8] == 2) && b[9] == 0 && b[10] == 0x5e && b[11] == 0xfe
}

// embedded returns the IPv4 address in the last four bytes.
func embedded(addr netip.Addr) netip.Addr {
	b := addr.As16()
	return netip.AddrFrom4([4]byte(b[12:]))
}
