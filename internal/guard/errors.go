package guard

import (
	"context"
	"errors"
	"net"
)

// Class is the outcome of a call that got no answer, in the words of the
// attempt lists.
type Class string

// The classes; an answer with a status has classes of its own (package webhook).
const (
	ClassRefused     Class = "refused-by-policy" // the guard says no: final
	ClassDNS         Class = "dns"               // the name has no address
	ClassUnreachable Class = "unreachable"       // refused, reset, unroutable, unanswered
	ClassTLS         Class = "tls"               // certificate or handshake
	ClassTimeout     Class = "timeout"           // connected, and no answer in time
)

// Rules of a refusal that are not address classes.
const (
	ruleForm      = "form"
	ruleScheme    = "scheme"
	ruleUserInfo  = "user-info"
	rulePort      = "port"
	ruleNumeric   = "numeric-host"
	ruleName      = "name"
	ruleDenied    = "denied"
	ruleMetadata  = "metadata"
	ruleOwn       = "own-address"
	rulePeer      = "unjudged-peer"
	ruleForbidden = "not-public"
)

// Error is a call that was refused or got no answer.
type Error struct {
	Class Class
	// Rule names what refused the address; empty for every other class. It is
	// for the operator's log, never for a tenant.
	Rule  string
	cause error
}

// Error returns class and rule; the cause, which may hold an address, is left out.
func (e *Error) Error() string {
	if e.Rule != "" {
		return "the address is refused (" + e.Rule + ")"
	}
	return "the call failed (" + string(e.Class) + ")"
}

// Unwrap returns the cause, which is for logs only.
func (e *Error) Unwrap() error { return e.cause }

// Refused reports whether err is the guard's own no.
func Refused(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Class == ClassRefused
}

// RefusedPort reports whether err refuses an address for nothing but its port.
func RefusedPort(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Rule == rulePort
}

// ClassOf returns the class of an error of this package; ClassUnreachable for
// any other error of a call.
func ClassOf(err error) Class {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Class
	}
	return ClassUnreachable
}

func refuse(rule string) *Error { return &Error{Class: ClassRefused, Rule: rule} }

// classify gives err the class that fits the stage at which the call was. A
// deadline that ends a connect is an unanswered connect; one that comes later
// is a missing answer.
func classify(err error, at stage) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	var timeout net.Error
	late := errors.Is(err, context.DeadlineExceeded) || (errors.As(err, &timeout) && timeout.Timeout())
	switch {
	case late && at == stageResolve:
		return &Error{Class: ClassDNS, cause: err}
	case late && at != stageConnect:
		return &Error{Class: ClassTimeout, cause: err}
	default:
		return &Error{Class: ClassUnreachable, cause: err}
	}
}
