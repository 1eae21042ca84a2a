package rpc

import (
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/id"
)

const (
	headerRequestID = "X-Request-Id"
	maxRequestID    = 64
	// maxHeaders is how many bytes request line and headers may have.
	maxHeaders = 16 << 10
)

// setFixedHeaders sets what every answer carries.
func setFixedHeaders(header http.Header, request string) {
	header.Set(headerRequestID, request)
	header.Set("Cache-Control", "no-store")
	header.Set("X-Content-Type-Options", "nosniff")
}

// checkHeaders refuses headers that are too large; the rest of such a request is not read.
func checkHeaders(x *exchange) error {
	r := x.request()
	size := len(r.Method) + len(r.RequestURI) + len(r.Proto) + len(r.Host)
	for name, values := range r.Header {
		for _, value := range values {
			size += len(name) + len(": ") + len(value) + len("\r\n")
		}
	}
	if size <= maxHeaders {
		return nil
	}
	x.closing = true
	f := fault.InvalidReason("headers-too-large", fmt.Sprintf("the headers are larger than %d bytes", maxHeaders))
	f.HTTPCode = http.StatusRequestHeaderFieldsTooLarge
	return f
}

// requestID keeps the caller's own id where it is 1 to 64 of A-Z a-z 0-9 _ . -,
// and makes one otherwise.
func requestID(sent string) string {
	if sent == "" || len(sent) > maxRequestID || strings.IndexFunc(sent, notInID) >= 0 {
		return id.New("req")
	}
	return sent
}

func notInID(c rune) bool {
	switch {
	case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '_', c == '.', c == '-':
		return false
	default:
		return true
	}
}

// clientIP is the peer's address; behind trusted proxies the rightmost
// forwarded address that is none of them. What stands left of it anybody could
// have written.
func clientIP(r *http.Request, trusted []netip.Prefix) string {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return ""
	}
	addr := peer.Addr().Unmap()
	if !contains(trusted, addr) {
		return addr.WithZone("").String()
	}
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for _, text := range slices.Backward(hops) {
		hop, valid := forwardedAddr(strings.TrimSpace(text))
		if !valid {
			break
		}
		if addr = hop.Unmap(); !contains(trusted, addr) {
			break
		}
	}
	return addr.WithZone("").String()
}

// forwardedAddr parses an address with or without a port, which some proxies add, and an
// IPv6 address in brackets.
func forwardedAddr(text string) (netip.Addr, bool) {
	if withPort, err := netip.ParseAddrPort(text); err == nil {
		return withPort.Addr(), true
	}
	bare, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(text, "["), "]"))
	return bare, err == nil
}

func contains(prefixes []netip.Prefix, addr netip.Addr) bool {
	for _, prefix := range prefixes {
		if prefix.Contains(addr) {
			return true
		}
	}
	return false
}
