// Package mailer makes one try of a mail: the rows say what is sent and which
// way, the relay takes it or not, and the outcome is given to whoever records the
// delivery. Mails of notification steps are handed over the same way, in their turn
// among all mails of the workspace (step.go).
//
// It must not change rows but for the reason of the last failure of a workspace and
// what became of a step's recipients, and it logs no address and no text of an error.
package mailer
