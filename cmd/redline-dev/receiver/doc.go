// Package receiver is the development stack's other side: what takes the
// webhooks and mails that the service sends, and shows them.
//
// Authority makes a certificate for receiver.test, New a Receiver that keeps
// requests and answers as their path says, NewMails a catcher that takes any
// mail. Handler serves what both have kept: a page for people, JSON for tests.
// All of it lives in the process of the stack, not of the service, so it
// survives a restart of the service, and has a port of its own beside the
// service's operations listener. It keeps everything in memory.
package receiver
