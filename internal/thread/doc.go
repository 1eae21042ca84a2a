// Package thread knows the text of comments: how plain text follows from HTML,
// which users a comment tags, and how tags are shown as names.
//
// A tag is a user id in double curly braces, taken exactly as it stands. HTML is
// only ever read here; it is stored as it was sent and made harmless by whoever
// shows it.
//
// Reading takes time by the length of a text: 128 KiB of HTML, the most that a comment has, take
// 5 ms of the processor, so it ends without being asked to.
//
// The package must not know rows, requests or users.
package thread
