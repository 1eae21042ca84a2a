// Package stack is what redline-dev runs: Postgres, Temporal with its UI
// and Weaviate as child processes on loopback, a receiver for webhooks and
// mails, and the service itself on top, migrated and seeded.
//
// Run goes through it in order: lock the data folder, end what a killed run
// left over, look at the configured addresses, wipe the data if that is asked
// for, choose ports, build what is missing (package parts), start the servers
// side by side, migrate, start the service's processes, seed, write
// the addresses, and wait until the context ends; then all is stopped in
// reverse order. A server that ends by itself ends the whole stack with a
// sentence that names its log.
//
// Files in the data folder: demo.env (addresses and credentials of the demo
// workspace), stack.env (the whole configuration, to start a process of the
// service or the operator's tool by hand), addresses.env (addresses alone), ready (there while the stack is up), ports.json,
// keys.json, ca.pem, and a folder for each server's data and log. The
// environment wins over the profile: a REDLINE_ variable that is set is handed
// on as it is, and a part whose address is set is used instead of a local one.
//
// While it runs, POST /dev/parts/<name>/<stop|kill|start|restart> on the
// inbox's port stops and starts single parts, and /dev/parts/temporal/empty
// starts Temporal with a fresh database: for tests of what must survive. It takes
// a header (x-redline-dev: 1) that a web page cannot send unasked.
//
// The package never decides anything about the service: it knows its
// command line, its configuration variables and its HTTP interface.
package stack
