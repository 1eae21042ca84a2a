package guard

import (
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/net/idna"
)

// target is an address after the form check: what is checked is what is dialled.
type target struct {
	url  *url.URL // Host is canonical: lower case, A-labels, no trailing dot
	host string
	port uint16
	// literal is valid where the host is an IP address.
	literal netip.Addr
}

// parse is the one parser, for the check when an address is written and again
// before each call.
func parse(raw string, kind Kind) (target, *Error) {
	if strings.IndexFunc(raw, forbiddenRune) >= 0 {
		return target{}, refuse(ruleForm)
	}
	u, err := url.Parse(raw)
	if err != nil || u.Opaque != "" {
		return target{}, refuse(ruleForm)
	}
	if !kind.allowsScheme(u.Scheme) {
		return target{}, refuse(ruleScheme)
	}
	if u.User != nil || strings.Contains(u.Host, "@") {
		return target{}, refuse(ruleUserInfo)
	}
	if authority(raw) != u.Host || strings.Contains(u.Host, "%") {
		return target{}, refuse(ruleForm) // written in escapes: another parser may read another host
	}
	return parseHost(u, kind)
}

// authority is the part between the slashes as it was written.
func authority(raw string) string {
	_, rest, _ := strings.Cut(raw, "://")
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		return rest[:end]
	}
	return rest
}

// forbiddenRune: white space, control characters and the backslash, which
// parsers read in different ways.
func forbiddenRune(r rune) bool {
	return r == '\\' || r == unicode.ReplacementChar || unicode.IsSpace(r) || unicode.IsControl(r)
}

func parseHost(u *url.URL, kind Kind) (target, *Error) {
	if strings.HasSuffix(u.Host, ":") {
		return target{}, refuse(ruleForm)
	}
	port, refusal := parsePort(u.Port(), u.Scheme, kind)
	if refusal != nil {
		return target{}, refusal
	}
	t := target{port: port}
	t.host, t.literal, refusal = canonicalHost(u.Hostname(), strings.HasPrefix(u.Host, "["))
	if refusal != nil {
		return target{}, refusal
	}
	clean := *u
	clean.Host = hostPort(t.host, u.Port())
	clean.Fragment, clean.RawFragment = "", ""
	t.url = &clean
	return t, nil
}

// hostPort keeps the port only where one was written: the default port does
// not belong into the Host header.
func hostPort(host, port string) string {
	if port != "" {
		return net.JoinHostPort(host, port)
	}
	if strings.Contains(host, ":") {
		return "[" + host + "]"
	}
	return host
}

func parsePort(text, scheme string, kind Kind) (uint16, *Error) {
	switch {
	case text == "" && scheme == "http":
		return 80, nil
	case text == "":
		return 443, nil
	}
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil || !kind.allowsPort(uint16(port)) {
		return 0, refuse(rulePort)
	}
	return uint16(port), nil
}

// canonicalHost maps a host to the one spelling that is checked and dialled; a
// literal address comes back as such.
func canonicalHost(host string, bracketed bool) (string, netip.Addr, *Error) {
	if bracketed {
		addr, err := netip.ParseAddr(host)
		if err != nil || !addr.Is6() || addr.Zone() != "" {
			return "", netip.Addr{}, refuse(ruleForm)
		}
		return addr.String(), addr, nil
	}
	name, err := hostProfile.ToASCII(host)
	if err != nil {
		return "", netip.Addr{}, refuse(ruleForm)
	}
	name = strings.ToLower(strings.TrimSuffix(name, "."))
	if addr, err := netip.ParseAddr(name); err == nil && addr.Is4() {
		return addr.String(), addr, nil
	}
	if numericHost(name) {
		return "", netip.Addr{}, refuse(ruleNumeric)
	}
	if !hostForm(name) {
		return "", netip.Addr{}, refuse(ruleForm)
	}
	return name, netip.Addr{}, nil
}

// hostProfile maps full-width digits and dots, upper case and other scripts.
// Underscores occur in real names, so the strict ASCII rule is hostForm's.
var hostProfile = idna.New(idna.MapForLookup(), idna.BidiRule(), idna.StrictDomainName(false), idna.Transitional(false))

// numericHost: a last label that some resolvers read as a number, so the whole
// as an address in a spelling of its own (127.1, 2130706433, 0x7f000001,
// 0177.0.0.1). The plain dotted quad was taken before.
func numericHost(name string) bool {
	last := name[strings.LastIndexByte(name, '.')+1:]
	if strings.HasPrefix(last, "0x") {
		return true
	}
	return last != "" && strings.Trim(last, "0123456789") == ""
}

// Lengths of a name and of its labels in the domain name system.
const (
	maxName  = 253
	maxLabel = 63
)

func hostForm(name string) bool {
	if name == "" || len(name) > maxName {
		return false
	}
	for label := range strings.SplitSeq(name, ".") {
		if label == "" || len(label) > maxLabel || strings.IndexFunc(label, notInLabel) >= 0 {
			return false
		}
	}
	return true
}

func notInLabel(r rune) bool {
	return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' && r != '_'
}
