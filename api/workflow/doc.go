// Package workflow has the operations on definitions (definitions.go), executions
// (executions.go), their steps (steps.go) and what their receivers were sent
// (deliveries.go), and on the agents that steps call (agents.go). Executions, steps and
// events are answered as models/execution/view reads them. The files *_view.go have what
// else is answered, with the tags of the published schema; definition_document.go has what a definition may hold, for the
// same schema; pages.go what the lists share, *_examples.go the documented results.
//
// A definition is read as raw JSON by package definition, which reports all its
// faults at once, and comes back byte for byte as it was sent: DefinitionView and
// DefinitionList write themselves. All other operations are answered from a
// commit, whether Temporal runs or not.
//
// The package must not know Temporal, and it must not decide what becomes of an
// execution: that is the interpreter's, below the store.
package workflow
