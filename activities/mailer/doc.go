// Package mailer makes one try of a mail: the rows say what is sent and which
// way, the relay takes it or not, and the outcome is given to whoever records the
// delivery.
//
// It must not change the mail's row but for the reason of the last failure of its
// workspace, and it logs no address and no text of an error.
package mailer
