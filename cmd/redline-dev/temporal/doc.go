// Package temporal configures and prepares the development stack's Temporal:
// one process with all four services and 16 history shards on the stack's own
// Postgres, and the UI beside it.
//
// Prepare makes the databases and their schema, WriteConfig the files that
// the server and the UI read, AwaitNamespace registers the namespace and
// waits until it can be used. Starting and stopping is the stack's business.
package temporal
