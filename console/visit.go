package console

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"golang.org/x/sync/errgroup"

	redline "github.com/redline-svc/redline/clients/go"
)

// callTime is the limit of one call: longer than any answer of the interface may take.
const callTime = 35 * time.Second

// visit is one request of somebody who is logged in.
type visit struct {
	ctx     context.Context //nolint:containedctx // it is the request's
	request *http.Request
	session session
	calls   *redline.Client
	console *Console
	// answer are the headers of the last call that kept them.
	answer http.Header
}

// A reader reads what a page shows.
type reader func(v *visit) (*page, error)

// An actor does what a form asks for, and returns the address to go on to and what to say there.
type actor func(v *visit) (next, notice string, err error)

// visit makes one of a request and a session.
func (c *Console) visit(r *http.Request, s session) *visit {
	v := &visit{ctx: from(r), request: r, session: s, console: c}
	// A page says what was refused, so nothing is tried again behind it. The address is checked by New.
	v.calls, _ = redline.New(
		redline.WithBaseURL(c.options.Interface), redline.WithHTTPClient(&http.Client{Transport: c.options.Transport}),
		redline.WithAPIKey(s.Key, s.KeyToken), redline.WithWorkspace(s.WorkspaceID, s.WorkspaceKey),
		redline.WithTimeout(callTime), redline.WithRetries(0),
	)
	return v
}

// inside answers whoever is logged in, as one of so many at once.
func (c *Console) inside(answer func(w http.ResponseWriter, r *http.Request, s session)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s := c.sessionOf(r)
		if !s.known() {
			c.toLogin(w, r, false)
			return
		}
		leave, err := c.making.enter(r.Context(), s)
		if err != nil {
			return // whoever asked is gone
		}
		defer leave()
		answer(w, r, s)
	}
}

// page answers with what a reader reads, to whoever is logged in.
func (c *Console) page(read reader) http.HandlerFunc {
	return c.inside(func(w http.ResponseWriter, r *http.Request, s session) {
		shown, err := c.shared.read(r.Context(), s.view(r), isLive(r) && r.Method == http.MethodGet, func(ctx context.Context) (*page, error) {
			return read(c.visit(r.WithContext(ctx), s))
		})
		if err != nil {
			c.sendFailure(w, r, s, err)
			return
		}
		own := *shown
		own.session = s
		c.send(w, r, http.StatusOK, &own)
	})
}

// act does what a form asks for and leads on, or says why not.
func (c *Console) act(do actor) http.HandlerFunc {
	return c.inside(func(w http.ResponseWriter, r *http.Request, s session) {
		next, notice, err := do(c.visit(r, s))
		if err == nil && notice != "" {
			err = c.keep(w, r, noticeCookie, notice, noticeTime)
		}
		if err != nil {
			c.sendFailure(w, r, s, err)
			return
		}
		http.Redirect(w, r, next, http.StatusSeeOther)
	})
}

// toLogin leads to the form and, from there, back to the page.
func (c *Console) toLogin(w http.ResponseWriter, r *http.Request, expired bool) {
	query := url.Values{}
	if r.Method == http.MethodGet {
		query.Set("next", r.URL.RequestURI())
	}
	if expired {
		query.Set("expired", "1")
	}
	address := "/login?" + query.Encode()
	if isLive(r) {
		w.Header().Set("HX-Redirect", address)
		w.WriteHeader(http.StatusNoContent)
		return
	}
	http.Redirect(w, r, address, http.StatusSeeOther)
}

// isLive reports whether a part of a page that is open is read again.
func isLive(r *http.Request) bool { return r.Header.Get("HX-Request") != "" }

// view is what equal views have in common: the credentials and the address.
func (s session) view(r *http.Request) string {
	sum := sha256.Sum256([]byte(s.Key + "\x00" + s.KeyToken + "\x00" + s.WorkspaceID + "\x00" + s.WorkspaceKey + "\x00" + s.Acting + "\x00" + r.URL.RequestURI()))
	return hex.EncodeToString(sum[:])
}

// asked is a word of the page's address.
func (v *visit) asked(name string) string { return v.request.URL.Query().Get(name) }

// optional is a word of the page's address, nil where it is empty.
func (v *visit) optional(name string) *string { return given(v.asked(name)) }

// form is what a form says, as it was sent.
func (v *visit) form(name string) string { return v.request.PostFormValue(name) }

// typed is what somebody typed into a form, nil where that is nothing.
func (v *visit) typed(name string) *string { return given(field(v.request, name)) }

// actor is in whose name something is done: what the form says, or else who the reader acts as.
func (v *visit) actor() string {
	if named := field(v.request, "actorId"); named != "" {
		return named
	}
	return v.session.Acting
}

// number is a whole number of the page's address, 0 where there is none.
func (v *visit) number(name string) int64 {
	n, _ := strconv.ParseInt(v.asked(name), 10, 64)
	return n
}

// given is nil for nothing.
func given(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// together makes the calls of a page side by side. The error is that of the first that failed, which
// ends the others.
func together(ctx context.Context, calls ...func(context.Context) error) error {
	group, ctx := errgroup.WithContext(ctx)
	for _, call := range calls {
		group.Go(func() error { return call(ctx) })
	}
	return group.Wait()
}

// to is an address of these pages with a query; pairs are names and values in turn.
func to(path string, pairs ...string) string {
	query := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			query.Set(pairs[i], pairs[i+1])
		}
	}
	if len(query) == 0 {
		return path
	}
	return path + "?" + query.Encode()
}
