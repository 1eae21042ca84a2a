// Package console proves the pages of the console against the real stack, without a browser: what
// a page shows and links to, what its forms do, and that nothing of a user's text becomes markup.
// What only a browser shows is in package browser.
package console
