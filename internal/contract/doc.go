// Package contract holds the names and the payloads that the service and
// Temporal share: workflow types, activities, signals, queries, task queues,
// workflow ids and search attributes (names.go), and the structs that travel as
// inputs and results (execution.go, delivery.go,
// ingestion.go, job.go, schedule.go).
//
// Only ids and small values are in these structs: trigger contexts, outputs,
// comment texts and secrets stay in Postgres. Activities are registered and
// called by the names here, never by a method reference, because two structs
// with a method of one name would silently share it. A name or a field that
// stands in recorded histories is never changed, whatever the code calls it now.
//
// The package imports the standard library alone, so that workflow code, which
// must be deterministic, can use it.
package contract
