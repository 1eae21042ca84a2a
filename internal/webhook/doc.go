// Package webhook is what goes over the wire to receivers and what their
// answers mean: the body of an event, the signatures, and the class of an
// outcome. It is pure: no clock, no connection, no rows.
//
// A request carries two signatures of the same body. One is a plain HMAC under
// the secret as given (x-svc-signature); the other follows Standard Webhooks,
// so that any of its verifiers can be used. The body of an event is made from
// its row each time and always has the same bytes; only timestamp, attempt and
// the second signature differ between attempts.
package webhook
