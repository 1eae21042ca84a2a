// Package clients tests the published clients against the service: what they retry, how they
// page and wait, and that a whole task is done with them in a few lines. What a client does by
// itself, without a service, is tested beside it.
package clients
