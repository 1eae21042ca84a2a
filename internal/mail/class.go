package mail

import (
	"context"
	"errors"
	"net/textproto"

	"github.com/redline-svc/redline/internal/guard"
)

// Class is what became of a try, in the words that are kept and shown.
type Class string

// The classes of this package; a connection that does not come about has those
// of package guard.
const (
	Sent Class = "sent"
	// Auth: the login was refused, or the host wants one.
	Auth Class = "auth"
	// Temporary: the host asks to come again.
	Temporary Class = "temporary"
	// SenderRefused: the host does not take mails from the sender's address.
	SenderRefused Class = "sender-refused"
	// RecipientRefused and MessageRefused are final.
	RecipientRefused Class = "recipient-refused"
	MessageRefused   Class = "message-refused"
)

// Error is a try that failed.
type Error struct {
	Class Class
	cause error
}

// Error returns the class; the cause may hold addresses.
func (e *Error) Error() string { return "the mail was not handed over (" + string(e.Class) + ")" }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.cause }

// Final reports whether another try is of no use.
func (e *Error) Final() bool {
	switch e.Class {
	case RecipientRefused, MessageRefused, Class(guard.ClassRefused):
		return true
	default:
		return false
	}
}

// stage is how far a try has come.
type stage int

const (
	connecting stage = iota
	securing
	loggingIn
	naming // the sender
	addressing
	handingOver
)

// failed gives err the class that fits the stage. A host that asks for a login
// says so at any stage; one that goes beyond its bounds has not answered by SMTP.
func failed(ctx context.Context, at stage, err error) *Error {
	var answer *textproto.Error
	switch {
	case errors.Is(err, errReplies):
		return &Error{Class(guard.ClassUnreachable), err}
	case ctx.Err() != nil:
		return &Error{Class(guard.ClassTimeout), err}
	case errors.As(err, &answer):
		return &Error{classOfAnswer(at, answer.Code), err}
	case at == securing:
		return &Error{Class(guard.ClassTLS), err}
	case at == loggingIn:
		return &Error{Auth, err} // no way to log in that both sides know
	default:
		return &Error{Class(guard.ClassOf(err)), err}
	}
}

func classOfAnswer(at stage, code int) Class {
	switch {
	case code == 530 || code == 534 || code == 535 || code == 538 || at == loggingIn:
		return Auth
	case code < 500:
		return Temporary
	}
	switch at {
	case securing:
		return Class(guard.ClassTLS)
	case naming:
		return SenderRefused
	case addressing:
		return RecipientRefused
	case handingOver:
		return MessageRefused
	default:
		return Temporary
	}
}
