// Package pace keeps requests to origins apart that have not proved to want them: whoever is made a target by the addresses
// that tenants name shall not feel it. An origin (scheme, host and port) has proved it by an answer of 2xx, for a day.
//
// What is known is the process's alone: one Origins, of its guard, for deliveries, steps and permission providers together. The
// package must not know who calls what.
package pace
