// Package mail writes mails and hands them over to mail hosts by SMTP.
//
// A Message has one recipient. Its Message-ID follows from its id alone, so a
// mail that is handed over twice, because a process died in between, is
// recognised by mail systems; mails of one thread refer to an id of the thread.
// Whatever people wrote is escaped where it stands in HTML, and line breaks in it
// never reach a header. Comment writes the mails about comments.
//
// Client opens connections through the egress guard only, a new one for every
// mail. A failed try is an *Error with a class: a permanent refusal of the
// recipient or of the mail itself is final, everything else may pass.
//
// A host is the choice of a workspace, so it may cost neither memory nor time: one
// try ends after 30 s, no more of its answers is read than bounds.go says, and a
// login is PLAIN or LOGIN, which cost nothing.
//
// Texts of errors may hold addresses and are never logged; the class says what
// an operator needs. The package must not know rows, users or workspaces.
package mail
