package rpc

import (
	"context"
	"net/http"
	"net/netip"
	"net/url"
	stdpath "path"
	"strings"

	"github.com/redline-svc/redline/internal/fault"
)

// Origins knows the web pages that may call with an API key.
type Origins interface {
	// Allowed reports whether host, without its port, is in the key's allowed
	// domains. No key stands for every key of the workspace.
	Allowed(ctx context.Context, workspaceID, apiKeyID, host string) (bool, error)
}

// allowedHeaders are those that a page may send.
const allowedHeaders = "content-type, range, x-request-id, x-svc-api-key, x-svc-auth-token"

// exposedHeaders are those that a page may read.
const exposedHeaders = "x-request-id, x-svc-ignored-fields, x-svc-unknown-event-types, retry-after, content-disposition, content-range"

// preflight answers a browser's question before a cross-origin call. It carries
// no key, so any origin may ask; the call itself is checked.
func (s *Server) preflight(x *exchange) bool {
	r := x.request()
	methods := s.methods(r.URL.Path)
	if s.origins == nil || r.Method != http.MethodOptions || methods == "" {
		return false
	}
	header := x.header()
	header.Set("Access-Control-Allow-Origin", "*")
	header.Set("Access-Control-Allow-Methods", methods)
	header.Set("Access-Control-Allow-Headers", allowedHeaders)
	header.Set("Access-Control-Max-Age", "600")
	x.http.Writer.WriteHeader(http.StatusNoContent)
	x.http.Writer.WriteHeaderNow()
	return true
}

// methods are those that a known path takes from a page.
func (s *Server) methods(path string) string {
	if s.known[path] {
		return http.MethodPost
	}
	folder, token := stdpath.Split(path)
	if token == "" {
		return ""
	}
	return strings.Join(s.signed[folder], ", ")
}

// checkOrigin checks a call from a web page by the domains of its key, a signed
// address by those of all keys of its workspace. A call without Origin comes
// from no page and is not checked; without the setting none is.
func (s *Server) checkOrigin(ctx context.Context, x *exchange) error {
	origin := x.request().Header.Get("Origin")
	if s.origins == nil || origin == "" {
		return nil
	}
	x.header().Add("Vary", "Origin")
	refused := fault.PermissionDenied("origin-not-allowed", "this key may not be used from this origin")
	page, err := url.Parse(origin)
	owned := x.caller.APIKeyID != "" || x.route.Level == LevelSigned
	if err != nil || !private(page) || !owned {
		return refused
	}
	allowed, err := s.origins.Allowed(ctx, x.caller.WorkspaceID, x.caller.APIKeyID, page.Hostname())
	if err != nil {
		return err
	}
	if !allowed {
		return refused
	}
	x.header().Set("Access-Control-Allow-Origin", origin)
	x.header().Set("Access-Control-Expose-Headers", exposedHeaders)
	return nil
}

// private reports whether nobody on the way to a browser can have changed its page: over
// plain http anybody on the same network can, but not on the browser's own machine.
func private(page *url.URL) bool {
	host := page.Hostname()
	if page.Scheme != "http" {
		return page.Scheme == "https" && host != ""
	}
	addr, _ := netip.ParseAddr(host)
	return host == "localhost" || addr.IsLoopback()
}
