package guard

import (
	"net"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Each block: its first and last address are refused, its neighbours are not
// (where the neighbour is public).
func TestRefusedBlocks(t *testing.T) {
	t.Parallel()
	for block, neighbours := range map[string][]string{
		"0.0.0.0/8": {"1.0.0.0"}, "10.0.0.0/8": {"9.255.255.255", "11.0.0.0"}, "172.16.0.0/12": {"172.15.255.255", "172.32.0.0"},
		"192.168.0.0/16": {"192.167.255.255", "192.169.0.0"}, "100.64.0.0/10": {"100.63.255.255", "100.128.0.0"},
		"127.0.0.0/8": {"126.255.255.255", "128.0.0.0"}, "169.254.0.0/16": {"169.253.255.255", "169.255.0.0"},
		"192.0.0.0/24": {"191.255.255.255", "192.0.1.0"}, "192.0.2.0/24": {"192.0.1.255", "192.0.3.0"},
		"198.51.100.0/24": {"198.51.99.255", "198.51.101.0"}, "203.0.113.0/24": {"203.0.112.255", "203.0.114.0"},
		"192.88.99.0/24": {"192.88.98.255", "192.88.100.0"}, "192.175.48.0/24": {"192.175.47.255", "192.175.49.0"},
		"192.31.196.0/24": {"192.31.195.255", "192.31.197.0"}, "198.18.0.0/15": {"198.17.255.255", "198.20.0.0"},
		"224.0.0.0/4": {"223.255.255.255"}, "240.0.0.0/4": nil, "192.52.193.0/24": {"192.52.192.255", "192.52.194.0"},
		"168.63.129.16/32": {"168.63.129.15", "168.63.129.17"},
		"2001::/23":        {"2001:200::"}, "2001:db8::/32": {"2001:db7:ffff:ffff::", "2001:db9::"}, "3fff::/20": {"3ffe:ffff::", "3fff:1000::"},
		"2002::/16": {"2001:ffff::", "2003::"}, "2620:4f:8000::/48": {"2620:4f:7fff::", "2620:4f:8001::"},
		"::/3": {"2000::"}, "4000::/2": {"3fff:ffff::"}, "8000::/1": nil,
	} {
		p := netip.MustParsePrefix(block)
		assert.NotEmpty(t, notPublic(p.Addr()), "first of %s", block)
		assert.NotEmpty(t, notPublic(last(p)), "last of %s", block)
		for _, n := range neighbours {
			assert.Empty(t, notPublic(netip.MustParseAddr(n)), "%s beside %s", n, block)
		}
	}
}

// last is the highest address of a block.
func last(p netip.Prefix) netip.Addr {
	b := p.Addr().AsSlice()
	for bit := p.Bits(); bit < len(b)*8; bit++ {
		b[bit/8] |= 0x80 >> (bit % 8)
	}
	addr, _ := netip.AddrFromSlice(b)
	return addr
}

func TestSpecialAddresses(t *testing.T) {
	t.Parallel()
	g := strict(t)
	for text, rule := range map[string]string{
		"255.255.255.255": "reserved", "100.100.100.200": ruleMetadata, "169.254.169.254": ruleMetadata, "169.254.170.2": ruleMetadata,
		"169.254.170.23": ruleMetadata, "192.0.0.192": ruleMetadata, "168.63.129.16": ruleMetadata, "168.63.129.15": "",
		"168.63.129.17": "", "fd00:ec2::254": ruleMetadata, "fd20:ce::254": ruleMetadata, "::": ruleForbidden, "::1": ruleForbidden,
		"::7f00:1": ruleForbidden, "::ffff:0:7f00:1": ruleForbidden, "::ffff:127.0.0.1": "loopback", "::ffff:8.8.8.8": "",
		"64:ff9b::808:808": ruleForbidden, "64:ff9b:1::1": ruleForbidden, "100::1": ruleForbidden, "100:0:0:1::1": ruleForbidden,
		"5f00::1": ruleForbidden, "fc00::1": ruleForbidden, "fe80::1": ruleForbidden, "fec0::1": ruleForbidden, "ff02::1": ruleForbidden,
		"2606:4700::0:5efe:a00:1": "isatap", "2606:4700::200:5efe:808:808": "isatap", "2606:4700::300:5efe:808:808": "", "2001:4860::8888": "",
	} {
		assert.Equal(t, rule, ruleOf(t, asError(g.checkAddr(netip.MustParseAddr(text), 443, Endpoint, false))), text)
	}
	assert.Equal(t, ruleForm, g.checkAddr(netip.MustParseAddr("fe80::1%eth0"), 443, Endpoint, false).Rule)
	assert.Equal(t, ruleForm, g.checkAddr(netip.Addr{}, 443, Endpoint, false).Rule)
}

func asError(e *Error) error {
	if e == nil {
		return nil
	}
	return e
}

func TestAllowLists(t *testing.T) {
	t.Parallel()
	g := open(t, Options{
		AllowCIDRs:         []string{"10.0.0.0/8", "127.0.0.0/8:1024-65535", "169.254.0.0/16", " fd00::/8:8443 ", "64:ff9b::/96", ""},
		WorkflowAllowCIDRs: []string{"192.168.0.0/16", "169.254.169.254/32"},
		DenyCIDRs:          []string{"10.9.0.0/16", "8.8.8.0/24"},
		AllowHosts:         []string{"localhost", "Intranet", "x.internal"},
	})
	for _, c := range []struct {
		addr    string
		port    uint16
		kind    Kind
		literal bool
		rule    string
	}{
		{"10.1.2.3", 443, Endpoint, true, ""},
		{"10.9.0.1", 443, Endpoint, true, ruleDenied},
		{"8.8.8.8", 443, Endpoint, true, ruleDenied},
		{"8.8.8.8", 443, Receiver, false, ruleDenied},
		{"127.0.0.1", 8080, Endpoint, true, ""},
		{"127.0.0.1", 443, Endpoint, true, "loopback"},
		{"127.0.0.1", 2525, SMTP, true, ""},
		{"169.254.1.1", 443, Endpoint, true, ""},
		{"169.254.169.254", 443, Endpoint, true, ruleMetadata}, // its block is listed, not itself
		{"fd00::1", 8443, Endpoint, true, ""},
		{"fd00::1", 8444, Endpoint, true, ruleForbidden},
		{"64:ff9b::a01:203", 443, Endpoint, true, ""},             // the inner 10.1.2.3 is listed
		{"64:ff9b::a09:1", 443, Endpoint, true, ruleDenied},       // the inner 10.9.0.1 is denied
		{"64:ff9b::c0a8:1", 443, Endpoint, true, "private"},       // the inner 192.168.0.1 is not listed
		{"64:ff9b::a9fe:a9fe", 443, Endpoint, true, ruleMetadata}, // the inner one is a metadata address
		{"10.1.2.3", 443, Receiver, false, "private"},
		{"192.168.1.1", 443, Receiver, false, ""},
		{"192.168.1.1", 443, Step, false, ""},
		{"192.168.1.1", 443, Receiver, true, "private"}, // written as an address it stays refused
		{"192.168.1.1", 443, Endpoint, true, "private"},
		{"169.254.169.254", 443, Receiver, false, ""}, // listed as itself
		{"169.254.169.254", 443, Receiver, true, ruleMetadata},
	} {
		got := g.checkAddr(netip.MustParseAddr(c.addr), c.port, c.kind, c.literal)
		assert.Equal(t, c.rule, ruleOf(t, asError(got)), "%+v", c)
	}
	assert.Empty(t, ruleOf(t, g.CheckURL(t.Context(), "http://localhost:8080/", Endpoint)))
	assert.Empty(t, ruleOf(t, g.CheckURL(t.Context(), "https://intranet/", Receiver)))
	assert.Equal(t, ruleName, ruleOf(t, g.CheckURL(t.Context(), "https://localhost:8080/", Receiver)))
	assert.Equal(t, ruleName, ruleOf(t, g.CheckURL(t.Context(), "https://x.internal/", Step)))
	assert.Empty(t, ruleOf(t, g.CheckURL(t.Context(), "https://x.internal/", Endpoint)))
	for _, listed := range []string{"http://localhost:8080/", "http://Intranet/", "http://10.1.2.3/", "http://127.0.0.1:8080/", "https://public.example/"} {
		assert.Empty(t, ruleOf(t, g.CheckURL(t.Context(), listed, Provider)), listed)
	}
	for _, plain := range []string{"http://public.example/", "http://1.1.1.1/"} {
		assert.Equal(t, ruleScheme, ruleOf(t, g.CheckURL(t.Context(), plain, Provider)), plain)
		assert.Empty(t, ruleOf(t, g.CheckURL(t.Context(), plain, Endpoint)), plain)
	}
}

func TestBadSettingsNameTheirVariable(t *testing.T) {
	t.Parallel()
	for variable, options := range map[string][]Options{
		varAllowCIDRs: {
			{AllowCIDRs: []string{"0.0.0.0/0"}},
			{AllowCIDRs: []string{"::/0"}},
			{AllowCIDRs: []string{"0.0.0.0/0:443"}},
			{AllowCIDRs: []string{"10.0.0.1"}},
			{AllowCIDRs: []string{"10.0.0.0/33"}},
			{AllowCIDRs: []string{"10.0.0.0/8:0"}},
			{AllowCIDRs: []string{"10.0.0.0/8:9-8"}},
			{AllowCIDRs: []string{"10.0.0.0/8:70000"}},
			{AllowCIDRs: []string{"::ffff:10.0.0.0/104"}},
		},
		varWorkflowCIDRs: {{WorkflowAllowCIDRs: []string{"::/0"}}, {WorkflowAllowCIDRs: []string{"x"}}},
		varDenyCIDRs:     {{DenyCIDRs: []string{"10.0.0.0/8:443"}}, {DenyCIDRs: []string{"ten"}}},
		varAllowHosts:    {{AllowHosts: []string{"10.0.0.1"}}, {AllowHosts: []string{"a b"}}},
		varResolve:       {{Resolve: []string{"a.test"}}, {Resolve: []string{"a.test=b"}}, {Resolve: []string{"=10.0.0.1"}}},
		varCAFile:        {{CAFile: "no-such-file.pem"}, {CAFile: "doc.go"}},
	} {
		for _, o := range options {
			_, err := New(o)
			require.ErrorContains(t, err, variable, "%+v", o)
		}
	}
	_, err := New(Options{DenyCIDRs: []string{"::/0"}})
	assert.NoError(t, err, "denying everything is an operator's right")
}

func TestOwnAddressesAreRefused(t *testing.T) {
	t.Parallel()
	own := netip.MustParseAddr("93.184.216.34")
	mine := &ownAddrs{read: func() ([]net.Addr, error) {
		return []net.Addr{&net.IPNet{IP: own.AsSlice(), Mask: net.CIDRMask(24, 32)}}, nil
	}}
	g := strict(t)
	g.own = mine
	require.Equal(t, ruleOwn, g.checkAddr(own, 443, Endpoint, false).Rule)
	assert.Nil(t, g.checkAddr(own.Next(), 443, Endpoint, false))
	listed := open(t, Options{AllowCIDRs: []string{"93.184.216.34/32:8443"}})
	listed.own = mine
	assert.Nil(t, listed.checkAddr(own, 8443, Endpoint, false))
	assert.Equal(t, ruleOwn, listed.checkAddr(own, 443, Endpoint, false).Rule)
	assert.Equal(t, ruleOwn, listed.checkAddr(own, 8443, Receiver, false).Rule)
}

func TestOwnAddressesStandWhenTheSystemIsSilent(t *testing.T) {
	t.Parallel()
	var broken bool
	o := &ownAddrs{read: func() ([]net.Addr, error) {
		if broken {
			return nil, net.ErrClosed
		}
		return []net.Addr{&net.IPNet{IP: net.IPv4(1, 2, 3, 4), Mask: net.CIDRMask(24, 32)}}, nil
	}}
	require.NoError(t, o.refresh())
	broken, o.at = true, o.at.Add(-2*ownFor)
	assert.True(t, o.has(netip.MustParseAddr("1.2.3.4")))
	assert.ErrorIs(t, o.refresh(), net.ErrClosed)
}

// An IPv4 address is checked the same in its mapped form, and no list opens
// what the deny-list holds.
func TestCheckProperties(t *testing.T) {
	t.Parallel()
	plain := strict(t)
	lists := open(t, Options{
		AllowCIDRs: []string{"0.0.0.0/1", "128.0.0.0/1"}, WorkflowAllowCIDRs: []string{"0.0.0.0/1", "128.0.0.0/1"}, DenyCIDRs: []string{"10.0.0.0/8"},
	})
	denied := netip.MustParsePrefix("10.0.0.0/8")
	rapid.Check(t, func(t *rapid.T) {
		b := rapid.SliceOfN(rapid.Byte(), 4, 4).Draw(t, "address")
		addr := netip.AddrFrom4([4]byte(b))
		mapped := netip.AddrFrom16(addr.As16())
		kind := rapid.SampledFrom([]Kind{Endpoint, Receiver, Step, SMTP}).Draw(t, "kind")
		literal := rapid.Bool().Draw(t, "literal")
		port := rapid.Uint16().Draw(t, "port")
		assert.Equal(t, plain.checkAddr(addr, port, kind, literal), plain.checkAddr(mapped, port, kind, literal))
		if denied.Contains(addr) {
			require.NotNil(t, lists.checkAddr(addr, port, kind, literal))
		}
		if plain.checkAddr(addr, port, kind, literal) == nil {
			assert.Equal(t, denied.Contains(addr), lists.checkAddr(addr, port, kind, literal) != nil)
		}
	})
}
