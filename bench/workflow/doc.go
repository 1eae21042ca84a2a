// Package workflow measures the executions of the service: what dispatches and
// decisions take, how many steps end a second, how long a history gets, what a worker
// needs for 10,000 executions that wait, and what a definition takes to be linted.
//
// Runs is the service's side, by its interface; it reads the rows only to know how
// executions stand. The other side is in bench/bare: the same waiting, and as many
// rows written, by workflows that are written directly against the SDK.
package workflow
