package console

import (
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/gorilla/securecookie"

	redline "github.com/redline-svc/redline/clients/go"
)

const (
	// sessionCookie is the name of the cookie that holds a session, noticeCookie of the one that
	// holds a sentence for the next page.
	sessionCookie, noticeCookie = "redline_session", "redline_notice"
	// sessionTime is for how long somebody stays logged in: a day's work.
	sessionTime = 12 * time.Hour
	// noticeTime is for how long a sentence waits for its page.
	noticeTime = time.Minute
)

// session is who looks: the credentials that they gave, and in whose name they decide. Before
// the login it has only the token of its forms.
type session struct {
	Key, KeyToken             string
	WorkspaceID, WorkspaceKey string
	Acting                    string
	FormToken                 string
}

// known reports whether there are any credentials.
func (s session) known() bool { return s.Key != "" || s.WorkspaceID != "" }

// codecsOf makes what seals and opens sessions, of each key by itself.
func codecsOf(keys [][]byte) ([]securecookie.Codec, error) {
	var codecs []securecookie.Codec
	for _, key := range keys {
		if len(key) < sha256.Size {
			return nil, errKeys
		}
		sealing, err := hkdf.Key(sha256.New, key, nil, "redline console session", 2*sha256.Size)
		if err != nil {
			return nil, err
		}
		codec := securecookie.New(sealing[:sha256.Size], sealing[sha256.Size:])
		codec.SetSerializer(securecookie.JSONEncoder{})
		codec.MaxAge(int(sessionTime / time.Second))
		codecs = append(codecs, codec)
	}
	if len(codecs) == 0 {
		return nil, errKeys
	}
	return codecs, nil
}

// sessionOf opens the session of a request; the zero session where there is none.
func (c *Console) sessionOf(r *http.Request) (s session) {
	c.open(r, sessionCookie, &s)
	return s
}

// open reads what a cookie of ours holds into to, which stays as it is where there is none that
// one of the keys opens.
func (c *Console) open(r *http.Request, name string, to any) {
	cookie, err := r.Cookie(name)
	if err != nil {
		return
	}
	_ = securecookie.DecodeMulti(name, cookie.Value, to, c.codecs...) // what was sealed by others is not there
}

// keep sends a cookie that holds the value sealed.
func (c *Console) keep(w http.ResponseWriter, r *http.Request, name string, value any, limit time.Duration) error {
	sealed, err := securecookie.EncodeMulti(name, value, c.codecs...)
	if err != nil {
		return err
	}
	http.SetCookie(w, cookie(r, name, sealed, int(limit/time.Second)))
	return nil
}

func forget(w http.ResponseWriter, r *http.Request, name string) {
	http.SetCookie(w, cookie(r, name, "", -1))
}

// cookie is one that no script reads and no other site sends; a browser that came by https sends
// it by nothing else.
func cookie(r *http.Request, name, value string, age int) *http.Cookie {
	secure := r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https"
	return &http.Cookie{Name: name, Value: value, Path: "/", MaxAge: age, HttpOnly: true, Secure: secure, SameSite: http.SameSiteLaxMode}
}

// loginView is the form; Failure what the last try was answered.
type loginView struct {
	Next, Key, WorkspaceID string
	Failure                *failure
	Expired                bool
}

func (c *Console) showLogin(w http.ResponseWriter, r *http.Request) {
	s := session{FormToken: c.sessionOf(r).FormToken}
	if s.FormToken == "" {
		s.FormToken = rand.Text()
		if err := c.keep(w, r, sessionCookie, s, sessionTime); err != nil {
			c.sendFailure(w, r, s, err)
			return
		}
	}
	query := r.URL.Query()
	c.sendLogin(w, r, http.StatusOK, s, &loginView{Next: query.Get("next"), Expired: query.Has("expired")})
}

// sendLogin sends the form as somebody sees it who is not logged in.
func (c *Console) sendLogin(w http.ResponseWriter, r *http.Request, code int, s session, view *loginView) {
	c.send(w, r, code, &page{Title: "Log in", Template: "login", Data: view, session: session{FormToken: s.FormToken}})
}

// login looks whether the interface knows the credentials, and opens a session with them.
func (c *Console) login(w http.ResponseWriter, r *http.Request) {
	given := session{
		Key: field(r, "key"), KeyToken: field(r, "keyToken"), WorkspaceID: field(r, "workspaceId"), WorkspaceKey: field(r, "workspaceToken"),
	}
	v := c.visit(r, given)
	s, err := v.admit()
	if err == nil {
		s.FormToken = rand.Text() // whoever knew the one before the login knows none after it
		err = c.keep(w, r, sessionCookie, s, sessionTime)
	}
	if err != nil {
		failed := failureOf(err)
		c.sendLogin(w, r, failed.Code, c.sessionOf(r), &loginView{Next: field(r, "next"), Key: given.Key, WorkspaceID: given.WorkspaceID, Failure: failed})
		return
	}
	http.Redirect(w, r, local(field(r, "next")), http.StatusSeeOther)
}

// admit returns the session of credentials that the interface knows. Those of a workspace bring
// those of its first key that has a token.
func (v *visit) admit() (session, error) {
	s := v.session
	if s.WorkspaceID == "" {
		_, err := v.calls.Usage.Get(v.ctx, redline.GetUsageRequest{})
		return s, err
	}
	workspace, err := v.calls.Workspace.Get(v.ctx, redline.GetWorkspaceRequest{})
	if err != nil {
		return s, err
	}
	keys := make([]string, 0, len(workspace.APIKeyList))
	for id := range workspace.APIKeyList {
		keys = append(keys, id)
	}
	slices.Sort(keys)
	for _, key := range keys {
		tokens, err := v.calls.AuthTokens.Get(v.ctx, redline.GetAuthTokensRequest{APIKey: key})
		if err != nil {
			return s, err
		}
		if len(tokens.AuthTokens) > 0 {
			s.Key, s.KeyToken = key, tokens.AuthTokens[0].Token
			break
		}
	}
	return s, nil
}

func (c *Console) logout(w http.ResponseWriter, r *http.Request) {
	forget(w, r, sessionCookie)
	http.Redirect(w, r, "/login", http.StatusSeeOther)
}

// setActing changes in whose name the reader decides.
func (c *Console) setActing(w http.ResponseWriter, r *http.Request) {
	s := c.sessionOf(r)
	s.Acting = field(r, "acting")
	if s.known() {
		if err := c.keep(w, r, sessionCookie, s, sessionTime); err != nil {
			c.sendFailure(w, r, s, err)
			return
		}
	}
	http.Redirect(w, r, local(field(r, "next")), http.StatusSeeOther)
}

// local is an address of these pages: another one, to which a form was made to lead, is the first page.
func local(address string) string {
	parsed, err := url.Parse(address)
	if err != nil || parsed.Host != "" || parsed.Scheme != "" || !strings.HasPrefix(address, "/") || strings.HasPrefix(address, "//") || strings.Contains(address, `\`) {
		return "/"
	}
	return address
}

// field is what a form says, without spaces around it, which come along when ids are copied.
func field(r *http.Request, name string) string { return strings.TrimSpace(r.PostFormValue(name)) }
