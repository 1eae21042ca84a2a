// Package domain brings host names into one form, so that they can be compared
// and stored: lower case, international labels as A-labels.
//
// ASCII is for names that must be domains, as behind the @ of an e-mail
// address. Normalise is for the allowed domains of an API key, where people
// paste addresses of pages, addresses of machines and wildcards. Parents walks
// from a name up to its top-level domain.
//
// The package must not resolve names or know what a name is used for.
package domain
