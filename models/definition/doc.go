// Package definition holds the definitions of workflows and their versions. A
// version never changes, so its compiled graph is kept in memory (Graph), and an
// execution is pinned to one.
//
// Tables: definitions, definition_versions, inbound_triggers, schedules. The last two
// have the triggers of the current version: those that requests from outside fire, with
// their sealed secrets, and those that the clock fires, as Temporal is to have them
// (schedules.go). Both are written in the transaction of the definition. A deleted definition stays as a
// tombstone until it is purged with its versions; one with executions that have
// not ended cannot be deleted.
//
// Locks: an advisory lock of the workspace for a new definition, so that the quota
// is exact; then the definition's row: FOR UPDATE to define it again or delete it,
// FOR NO KEY UPDATE for a new version. A dispatch holds it FOR KEY SHARE, so it
// waits for a deletion, and not for an update.
//
// Reads are SQL by hand: each joins definitions with their versions in one trip.
//
// It must not run anything, nor know how a graph is walked.
package definition
