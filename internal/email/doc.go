// Package email reads e-mail addresses, compares their owners and makes the
// default names that come from them.
//
// An address is kept as it was sent. Two addresses are one owner when their
// keys are equal: the local part in NFC and case-folded, the domain as
// lower-case A-label. A "+tag" counts, so a@x.org and a+1@x.org are two owners.
//
// The package must not send mail or look anything up.
package email
