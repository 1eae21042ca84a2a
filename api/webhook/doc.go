// Package webhook has the operations on the webhook endpoints of a workspace: what
// is set for all of them (settings.go), the endpoints themselves (endpoints.go),
// the lists of endpoints and attempts (endpoint_lists.go) and of messages
// (messages.go), recoveries (recovery.go), tests, messages that are
// sent again and the types of events (endpoint_events.go). examples.go has the documented results.
//
// Every key of a workspace sees the same endpoints. An address is checked when it
// is stored, and again by the guard of connections when it is called.
//
// The package must not send anything: a test is a message that is queued like any
// other.
package webhook
