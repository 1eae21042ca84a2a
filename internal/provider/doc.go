// Package provider asks the permission provider of a workspace, an HTTP service of its
// own, which users may write to a document.
//
// Ask makes one POST for all users, through the egress guard and without redirects, and
// gives for each of them what the answer says. Whatever is no clear yes is a no: an
// answer that does not come, comes late, is none of 2xx, is too long or cannot be read,
// an entry that is missing or is about somebody or something else.
//
// One that has never answered is asked five times a second at most, whoever asks (internal/guard): anybody may name any address.
//
// It must not keep an answer: each is for one request.
package provider
