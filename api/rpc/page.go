package rpc

import (
	"bytes"
	"context"
	"html/template"
	"net/http"
	"strconv"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/limit"
)

// Page is what a person sees in a browser: a heading, a sentence and, where there is one, a
// button that posts to the same address.
type Page struct{ Title, Text, Button string }

// Shown is what the token of a page leads to.
type Shown struct {
	WorkspaceID string
	// Show makes the page.
	Show func(ctx context.Context) (Page, error)
}

// PageAt makes the route that shows a page at a signed address. The path ends in {token};
// find returns what the token leads to, NOT_FOUND for a wrong one. An error is shown as a
// page as well.
func PageAt(method, path string, find func(ctx context.Context, token string) (*Shown, error), options ...Option) Route {
	r := signedRoute(method, path, func(s *Server) answering {
		return func(ctx context.Context, x *exchange) (any, error) {
			page, err := s.findPage(ctx, x, find)
			return written{}, s.writePage(x, page, err)
		}
	}, options)
	r.page = true
	return r
}

// findPage counts the call like one of the workspace, a token that leads nowhere like wrong
// credentials, and makes the page.
func (s *Server) findPage(ctx context.Context, x *exchange, find func(context.Context, string) (*Shown, error)) (page Page, err error) {
	x.closing = x.request().ContentLength != 0 // whatever a form sends is read by nobody
	found, err := lookUp(ctx, s, x, find)
	if fault.Is(err, fault.StatusNotFound) {
		err = s.inTime(ctx, func(ctx context.Context) error { return s.refuseCredentials(ctx, x, err) })
	}
	if err != nil {
		return page, err
	}
	x.caller.WorkspaceID = found.WorkspaceID
	err = s.inTime(context.WithValue(ctx, exchangeKey{}, x), func(ctx context.Context) error {
		if err := s.take(ctx, x, limit.Workspace, found.WorkspaceID); err != nil {
			return err
		}
		page, err = found.Show(ctx)
		return err
	})
	return page, err
}

// layout loads nothing from anywhere.
var layout = template.Must(template.New("page").Parse(`<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{{.Title}}</title></head>
<body><h1>{{.Title}}</h1><p>{{.Text}}</p>{{if .Button}}<form method="post"><button>{{.Button}}</button></form>{{end}}</body></html>
`))

// writePage sends the page, or one that says the error, and gives the error on for log and
// metrics.
func (s *Server) writePage(x *exchange, page Page, err error) error {
	code, header := http.StatusOK, x.header()
	if f := fault.From(err); f != nil {
		code, page = f.HTTP(), Page{Title: "This did not work", Text: f.Message}
		if f.Status == fault.StatusNotFound {
			page.Text = "This address is not valid, or not any more. Nothing was changed."
		}
		if wait := retryAfter(f); wait > 0 {
			header.Set("Retry-After", strconv.Itoa(wait))
		}
	}
	var out bytes.Buffer
	if failed := layout.Execute(&out, page); failed != nil {
		return failed
	}
	s.closeUnread(x)
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Content-Length", strconv.Itoa(out.Len()))
	header.Set("Content-Security-Policy", "default-src 'none'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'")
	header.Set("Referrer-Policy", "no-referrer")
	x.http.Writer.WriteHeader(code)
	_, _ = x.http.Writer.Write(out.Bytes()) // a caller that is gone is no fault of ours
	return err
}
