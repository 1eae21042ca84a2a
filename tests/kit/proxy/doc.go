// Package proxy stands between a process of the service and what it depends on,
// so that a test can stop the world at one exact point: this request has been
// sent and is not yet there, this answer was sent and has not arrived.
//
// Temporal forwards gRPC and holds calls by method name; Database reads the
// protocol of Postgres and holds messages of the client by their content. Both
// forward everything else untouched, and both can be down, which refuses every
// connection until they are up again on the same address. Plain knows no
// protocol: it can be down likewise, or frozen, which takes connections and
// passes nothing on.
//
// A Hold catches every call that fits until it is released: a caller that
// tries again is caught again, so nothing slips past while a process is killed.
// Reached is closed when the first one stands. Nothing here waits on a guess.
package proxy
