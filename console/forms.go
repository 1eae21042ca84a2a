package console

import (
	"crypto/subtle"
	"errors"
	"net/http"

	redline "github.com/redline-svc/redline/clients/go"
)

// tokenField is the field with the token of the session that a form was made for.
const tokenField = "formToken"

// largestForm is what is read of a form, of which a file may be part, formMemory how much of it in
// memory: the interface says itself what is too large for it.
const largestForm, formMemory = 128 << 20, 1 << 20

// largestLogin is what is read of a form of somebody who is not logged in, wherever it leads.
const largestLogin = 64 << 10

// ownForms lets a form on that has the token of its session. Whoever is not logged in has no form
// but that of the login: all others lead there.
func (c *Console) ownForms(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s, leave := c.sessionOf(r), func() {}
		if r.Method == http.MethodPost && !s.known() {
			r.Body = http.MaxBytesReader(w, r.Body, largestLogin)
		}
		if r.Method == http.MethodPost && (s.known() || r.URL.Path == "/login") {
			var err error
			if leave, err = c.readForm(w, r, s); err != nil {
				c.sendFailure(w, r, s, err)
				return
			}
		}
		defer leave()
		next.ServeHTTP(w, r)
	})
}

// readForm reads a form, in the turn of the credentials of somebody who is logged in: leave ends that.
func (c *Console) readForm(w http.ResponseWriter, r *http.Request, s session) (leave func(), err error) {
	if !s.known() {
		return func() {}, s.accept(w, r)
	}
	if leave, err = c.sending.enter(r.Context(), s); err != nil {
		return nil, err
	}
	if err = s.accept(w, r); err != nil {
		leave()
	}
	return leave, err
}

// accept reads a form; the error says what is wrong with one that was not made for the session.
func (s session) accept(w http.ResponseWriter, r *http.Request) error {
	if s.FormToken == "" {
		return errForm
	}
	r.Body = http.MaxBytesReader(w, r.Body, largestForm)
	err := errors.Join(r.ParseForm(), r.ParseMultipartForm(formMemory)) // of which one is for a form without a file
	if large, is := errors.AsType[*http.MaxBytesError](err); is {
		return wrong("This is more than " + bytesOf(large.Limit) + ", which is the most that these pages take.")
	}
	if subtle.ConstantTimeCompare([]byte(r.PostFormValue(tokenField)), []byte(s.FormToken)) != 1 {
		return errForm
	}
	return nil
}

// errForm is a form without the token: of another site, of another session, or of a page that is
// older than its session.
var errForm = &redline.Error{
	HTTPStatus: http.StatusForbidden, Message: "This form was not made for your session, so nothing was done. Open its page again, and send it from there.",
}
