package definition

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/redline-svc/redline/internal/shape"
)

// Limits and defaults of a webhook node. Times are milliseconds.
const (
	minTimeoutMs       = 1_000
	maxTimeoutMs       = 60_000
	defaultTimeoutMs   = 10_000
	maxStatusCodes     = 20
	minStatusCode      = 100
	maxStatusCode      = 599
	maxRequestHeaders  = 20
	maxHeaderValue     = 2000
	maxTokenHeaderName = 500
)

// headerName is a field name as HTTP allows it (RFC 9110, token).
var headerName = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")

// Header names that a definition may not set: those that carry the service's
// own signature, shape the message, or would let a step speak as somebody else.
var (
	refusedHeaders = []string{
		"host", "connection", "content-type", "content-length", "transfer-encoding", "te", "upgrade",
		"expect", "trailer", "authorization", "cookie", "forwarded",
	}
	refusedHeaderPrefixes = []string{"x-svc-", "webhook-", "proxy-", "x-forwarded-", "metadata", "x-aws-", "x-google-"}
	// tokenHeaders are refused in requestHeaders but are where a token belongs.
	tokenHeaders = []string{"authorization", "cookie"}
)

func isRefusedHeader(name string) bool {
	lower := strings.ToLower(name)
	return slices.Contains(refusedHeaders, lower) ||
		slices.ContainsFunc(refusedHeaderPrefixes, func(prefix string) bool { return strings.HasPrefix(lower, prefix) })
}

// webhook reads the config of a webhook node.
func (p *parser) webhook(v shape.Part) *Webhook {
	o := p.Object(v, "url", "mode", "method", "bodyTemplate", "authMode", "authTokenHeader", "timeoutMs", "expectedStatusCodes", "requestHeaders")
	w := &Webhook{TimeoutMs: defaultTimeoutMs}
	if url, there := o.Need("url"); there {
		w.URL = p.link(url, p.rules.Step)
	}
	var modeOK, methodOK, bodyOK bool
	w.Mode, modeOK = o.Word("mode", "sync", "async")
	w.Method, methodOK = o.Word("method", "POST", "GET")
	w.BodyTemplate, bodyOK = o.Word("bodyTemplate", "envelope", "pass-through", "none")
	if modeOK && methodOK && bodyOK {
		p.methodAndBody(o, w)
	}
	p.authentication(o, w)
	if n, there := o.Integer("timeoutMs", minTimeoutMs, maxTimeoutMs); there {
		w.TimeoutMs = n
	}
	w.ExpectedStatusCodes = p.statusCodes(o)
	w.RequestHeaders = p.requestHeaders(o)
	return w
}

// methodAndBody: a GET has no body and everything else has one; a receiver that
// calls back must have been given an address.
func (p *parser) methodAndBody(o *shape.Fields, w *Webhook) {
	bodiless := w.BodyTemplate == "none"
	switch {
	case bodiless != (w.Method == http.MethodGet):
		o.Fault("bodyTemplate", "webhook-method-body-mismatch", "bodyTemplate is none if and only if method is GET")
	case w.Mode == "async" && bodiless:
		o.Fault("mode", "webhook-method-body-mismatch", "mode async needs method POST and a body")
	}
}

func (p *parser) authentication(o *shape.Fields, w *Webhook) {
	w.AuthMode, _ = o.Word("authMode", "hmac", "token", "none")
	var named bool
	w.AuthTokenHeader, named = o.Text("authTokenHeader", shape.TextRule{Min: 1, Max: maxTokenHeaderName, Pattern: headerName})
	if _, there := o.Members["authTokenHeader"]; w.AuthMode == "token" && !there {
		o.Fault("authTokenHeader", "required", "authMode token needs an authTokenHeader")
	}
	if named && isRefusedHeader(w.AuthTokenHeader) && !slices.Contains(tokenHeaders, strings.ToLower(w.AuthTokenHeader)) {
		p.Report(o.Members["authTokenHeader"], "enum", "this header may not be set")
	}
}

func (p *parser) statusCodes(o *shape.Fields) []int {
	var codes []int
	for _, v := range o.List("expectedStatusCodes", 0, maxStatusCodes) {
		n, ok := p.IntegerOf(v)
		switch {
		case !ok:
		case n < minStatusCode || n > maxStatusCode:
			p.Report(v, "range", "must be 100 to 599")
		default:
			codes = append(codes, int(n))
		}
	}
	return codes
}

func (p *parser) requestHeaders(o *shape.Fields) map[string]string {
	seen := map[string]bool{}
	return o.Mapping("requestHeaders", maxRequestHeaders, func(name string, v shape.Part, text string) {
		p.once(seen, strings.ToLower(name), v)
		switch {
		case !headerName.MatchString(name):
			p.Report(v, "pattern", "the name of a header has letters, digits and !#$%&'*+.^_`|~- only")
		case isRefusedHeader(name):
			p.Report(v, "enum", "this header may not be set")
		}
		if _, ok := p.TextOf(v, shape.TextRule{Max: maxHeaderValue}); ok && strings.ContainsFunc(text, breaksHeader) {
			p.Report(v, "pattern", "must not have line breaks or other control characters")
		}
	})
}

// breaksHeader: HTTP allows no control character in a value but the tab.
func breaksHeader(c rune) bool { return c != '\t' && unicode.IsControl(c) }
