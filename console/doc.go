// Package console is the pages in a browser: what waits and why, what was decided before, what
// was sent and answered, and the means to go on with it.
//
// It is a client of the published interface, by clients/go, and nothing else: a page shows what
// the interface answers to the credentials that its reader logged in with, so their rights are
// the page's. It keeps nothing. A session is a cookie, sealed with keys of the process, that
// holds the credentials themselves and the token of the session, which every form of its pages
// carries: what comes without it is refused (forms.go).
//
// A page is a function that reads (a reader) and a template; a form is a function that acts (an
// actor) and returns the address to go on to. routes.go lists all of them. The part of a page that a
// template names "live" is read again every 2 s while somebody sees it (assets/console.js), and
// equal views of one pair of credentials share a read (shared.go), so that looking does not use
// up a key's limit. What is read is morphed into what is there: a row that has a form or opens has an
// id, by which it stays itself when others come before it, and a form that somebody has touched stays
// as it is. What such a part says in one sentence (template "say") is told to whoever does not see it.
//
// Pages work without scripts. With them times stand in the reader's zone, ids are copied, and
// live parts change in place. Nothing comes from elsewhere: the policy of the pages lets a
// browser fetch from this listener alone and run nothing that stands in a page. htmx, the letters
// (Inter and JetBrains Mono, Latin alone: others are the reader's own) and the pictures (Lucide) are those
// of their npm packages, with their licences beside them in assets.
//
// The package must not import anything of the service but its Go client.
package console
