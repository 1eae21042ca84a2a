package domain

import (
	"errors"
	"net/netip"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/net/publicsuffix"
)

// Why Normalise refuses.
var (
	ErrUserInfo = errors.New("it must not name a user")
	ErrPort     = errors.New("its port is not a number of 1 to 65535")
	ErrWildcard = errors.New("a wildcard stands alone in the first place, before a name that is not a public suffix")
)

const (
	wildcard  = "*."
	localhost = "localhost"
	maxPort   = 65535
)

// scheme is what RFC 3986 3.1 allows before "://".
var scheme = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*://`)

// Normalise returns the form in which an allowed domain is stored and compared.
// It drops scheme, one leading "www.", port, path, query, fragment and a
// trailing dot, and returns lower case and A-labels. "*.host" stays: it stands
// for every name below host at any depth, not for host. Addresses of machines
// and "localhost" are allowed. Users, a bare or inner wildcard and a wildcard
// on a public suffix of the ICANN list are refused.
func Normalise(entry string) (string, error) {
	host := entry[len(scheme.FindString(entry)):]
	if end := strings.IndexAny(host, "/?#"); end >= 0 {
		host = host[:end]
	}
	if strings.Contains(host, "@") {
		return "", ErrUserInfo
	}
	host, err := withoutPort(host)
	if err != nil {
		return "", err
	}
	if addr, err := netip.ParseAddr(host); err == nil {
		return address(addr)
	}
	return name(strings.ToLower(strings.TrimSuffix(host, ".")))
}

// withoutPort takes a port and the brackets of an IPv6 address off.
func withoutPort(host string) (string, error) {
	if rest, bracketed := strings.CutPrefix(host, "["); bracketed {
		inner, port, closed := strings.Cut(rest, "]")
		if !closed || !strings.Contains(inner, ":") {
			return "", ErrInvalid
		}
		return inner, checkPort(strings.TrimPrefix(port, ":"), port == "" || strings.HasPrefix(port, ":"))
	}
	if strings.Count(host, ":") != 1 {
		return host, nil // none, or a bare IPv6 address
	}
	host, port, _ := strings.Cut(host, ":")
	return host, checkPort(port, true)
}

// checkPort allows an empty port, as "host:" is the host.
func checkPort(port string, separated bool) error {
	if !separated {
		return ErrInvalid
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if port != "" && (err != nil || n == 0 || n > maxPort) {
		return ErrPort
	}
	return nil
}

func address(addr netip.Addr) (string, error) {
	if addr.Zone() != "" {
		return "", ErrInvalid
	}
	return addr.String(), nil
}

func name(host string) (string, error) {
	if host == "*" {
		return "", ErrWildcard
	}
	rest, wild := strings.CutPrefix(host, wildcard)
	if strings.Contains(rest, "*") {
		return "", ErrWildcard
	}
	if rest != localhost {
		ascii, err := ASCII(rest)
		if err != nil {
			return "", err
		}
		rest = ascii
	}
	if wild {
		return wildcardOn(rest)
	}
	return withoutWWW(rest), nil
}

func wildcardOn(host string) (string, error) {
	if suffix, icann := publicsuffix.PublicSuffix(host); suffix == host && icann {
		return "", ErrWildcard
	}
	return wildcard + host, nil
}

// withoutWWW keeps the label where nothing but a top-level domain would remain.
func withoutWWW(host string) string {
	if rest, www := strings.CutPrefix(host, "www."); www && strings.Contains(rest, ".") {
		return rest
	}
	return host
}
