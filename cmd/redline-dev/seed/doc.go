// Package seed makes the demo workspace of a development stack over HTTP, as
// any client would: a workspace that sends mails by the relay of the stack, the
// definition "editorial-sign-off", and an execution of it that waits for a
// decision.
//
// Run is repeated at every start and changes nothing that is there. It never
// imports anything of the service.
package seed
