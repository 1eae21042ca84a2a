package console

import (
	"errors"
	"net/http"
	"strings"

	redline "github.com/redline-svc/redline/clients/go"
)

// failure is what went wrong, as the interface said it.
type failure struct {
	Code                               int
	Title, Message, Reason, Status, ID string
	Issues                             []redline.Issue
	// Hint is what to do about it.
	Hint string
}

// wrong is a fault of what somebody typed, found before anything was called.
type wrong string

// Error returns the sentence.
func (w wrong) Error() string { return string(w) }

// failureOf reads an error.
func failureOf(err error) *failure {
	if refused := redline.AsError(err); refused != nil {
		f := &failure{
			Code: refused.HTTPStatus, Title: titles[refused.HTTPStatus], Message: refused.Message, Reason: string(refused.Reason),
			Status: string(refused.Status), ID: refused.RequestID, Issues: refused.Issues, Hint: hints[refused.HTTPStatus],
		}
		if f.Title == "" {
			f.Title = "The service refused this"
		}
		return f
	}
	if typed, is := errors.AsType[wrong](err); is {
		return &failure{Code: http.StatusBadRequest, Title: "Something is missing", Message: string(typed)}
	}
	return &failure{
		Code: http.StatusBadGateway, Title: "The service did not answer", Message: strings.TrimPrefix(err.Error(), "redline: "),
		Hint: "Try again in a moment. What you asked for may have been done all the same: look before you repeat it.",
	}
}

// titles say for a person what a code means.
var titles = map[int]string{
	http.StatusBadRequest:          "The service cannot take this",
	http.StatusUnauthorized:        "These credentials are not known",
	http.StatusForbidden:           "This is not allowed",
	http.StatusNotFound:            "There is nothing here",
	http.StatusConflict:            "This does not fit how things stand",
	http.StatusTooManyRequests:     "Too many calls",
	http.StatusInternalServerError: "Something broke inside the service",
	http.StatusServiceUnavailable:  "A part of the service is away",
	http.StatusGatewayTimeout:      "The service took too long",
}

// hints say what to do.
var hints = map[int]string{
	http.StatusUnauthorized:        "Check the key or id and its token; a token that was replaced no longer opens anything.",
	http.StatusNotFound:            "It may have been deleted, or it belongs to another workspace.",
	http.StatusTooManyRequests:     "Wait a minute and try again.",
	http.StatusInternalServerError: "Try again; if it stays, tell whoever runs the service the request id.",
	http.StatusServiceUnavailable:  "Try again in a moment; what was acknowledged before is safe.",
}

// sendFailure shows what went wrong. Credentials that opened a session and no longer open
// anything lead to the login.
func (c *Console) sendFailure(w http.ResponseWriter, r *http.Request, s session, err error) {
	failed := failureOf(err)
	if failed.Code == http.StatusUnauthorized {
		forget(w, r, sessionCookie)
		c.toLogin(w, r, true)
		return
	}
	c.send(w, r, failed.Code, &page{Title: failed.Title, Template: "failure", Data: failed, session: s})
}

// notListed is what it means that a list does not have the one thing that was asked for; answer are the
// headers that the list came with.
func notListed(message string, answer http.Header) error {
	return &redline.Error{HTTPStatus: http.StatusNotFound, Status: "NOT_FOUND", Message: message, RequestID: answer.Get("X-Request-Id")}
}

// errNowhere is an address that is no page.
var errNowhere = &redline.Error{HTTPStatus: http.StatusNotFound, Message: "This address is no page of the console."}

func nowhere(*visit) (*page, error) { return nil, errNowhere }
