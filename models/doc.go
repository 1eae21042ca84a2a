// Package models holds the rows of the service and the transactions over them.
// What is true stands here; the engine and the vector index only follow.
//
// A store is a small struct per thing (Workspaces, Definitions, Executions,
// Deliveries) made by a constructor from a DB. Every method takes the workspace
// first after the context, and no query is without it. Cold paths use GORM's
// generics inside DB.Tx; hot statements (dispatch, Advance, draws and outcomes
// of deliveries) are SQL by hand over the same pool, because they need few
// round trips and locks in a known order: execution, steps, messages.
//
// Rows that owe something to the engine are the outbox themselves: an execution
// with a poke due, a delivery that is pending. Nothing is handed over by memory
// alone. Times in rows are Postgres's, taken after the lock.
//
// Driver errors become *fault.Error once, in errors.go. The schema belongs to
// migrations/*.sql. The package must not know HTTP, the engine or any caller.
package models
