package webhook

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Variation is by how much a pause between attempts at an endpoint is varied either
// way, as a share of it: endpoints that failed together are not all called again in
// one moment.
const Variation = 0.2

// Class is the outcome of an attempt, in the words of the attempt lists.
type Class string

// The classes. Those of calls without an answer have the same words in the
// egress guard.
const (
	OK              Class = "ok"
	Redirect        Class = "http-3xx" // never followed
	Gone            Class = "gone"     // endpoints only
	Throttled       Class = "throttled"
	ClientError     Class = "http-4xx"
	ServerError     Class = "http-5xx"
	Timeout         Class = "timeout"
	DNS             Class = "dns"
	Unreachable     Class = "unreachable"
	TLS             Class = "tls"
	RefusedByPolicy Class = "refused-by-policy"
	Interrupted     Class = "interrupted" // the process died during the attempt
	// Expired: the message was removed for its age, so there is nothing to send.
	Expired Class = "payload-expired"
	// Cancelled is the end that an operator gave to waiting deliveries.
	Cancelled Class = "cancelled-by-operator"
)

// Ends of deliveries that waited when something about their endpoint, or about
// the mails of the workspace, was switched off. No attempt has them.
const (
	EndpointDisabled Class = "endpoint-disabled"
	EndpointDeleted  Class = "endpoint-deleted"
	WebhooksDisabled Class = "webhooks-disabled"
	MailsDisabled    Class = "mails-disabled"
)

// Final reports whether no further attempt follows whatever the schedule says.
func (c Class) Final() bool { return c == OK || c == RefusedByPolicy }

// Answered reports whether the receiver's host gave an answer in time, good or bad.
func (c Class) Answered() bool {
	switch c {
	case OK, Redirect, Gone, Throttled, ClientError, ServerError:
		return true
	default:
		return false
	}
}

// EndpointClass returns the class of an answer of an endpoint: by a 410 it asks to
// be left alone for good.
func EndpointClass(status int) Class {
	if status == http.StatusGone {
		return Gone
	}
	return ReceiverClass(status)
}

// RetryAfter is how long an answer asks to be left alone, and whether it asks at
// all: seconds, or a date, which is read against the answer's own where it has
// one, since clocks differ. More seconds than can be counted are as many as can.
func RetryAfter(h http.Header, now time.Time) (wait time.Duration, asked bool) {
	text := strings.TrimSpace(h.Get("retry-after"))
	if seconds, err := strconv.ParseUint(text, 10, 31); err == nil || errors.Is(err, strconv.ErrRange) {
		return time.Duration(seconds) * time.Second, true
	}
	until, err := http.ParseTime(text)
	if err != nil {
		return 0, false
	}
	if sent, err := http.ParseTime(h.Get("date")); err == nil {
		now = sent
	}
	return max(0, until.Sub(now)), true
}

// ReceiverClass returns the class of an answer of an execution's receiver. For
// these a 410 is an error like any other of the caller's making.
func ReceiverClass(status int) Class {
	switch {
	case status >= 200 && status < 300:
		return OK
	case status >= 300 && status < 400:
		return Redirect
	case status == http.StatusTooManyRequests, status == http.StatusServiceUnavailable:
		return Throttled
	case status >= 400 && status < 500:
		return ClientError
	default:
		return ServerError
	}
}
