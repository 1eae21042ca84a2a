// Package view reads executions, their steps and their events as callers see them: one
// with all its steps, the pages of lists, and the inbox of a person.
//
// What is read is answered as it is: the types have the tags of the published schema
// (view.go). Get reads an execution with its steps at one moment (execution.go), List
// the steps of a page in a second one, ListSteps a page of the steps of many executions
// (steps.go), Events those above a number (events.go). An answer is 8 MiB at most, but for a
// single item that is larger: Postgres leaves out what does not fit, so it is not even sent.
// A list has the conditions in use only, and each of them its index, so a page costs the
// same anywhere. Statements are SQL by hand for both reasons.
//
// Tables: none of its own; executions, steps, step_reviewers and events of the package
// execution are read, for callers without a lock.
//
// It must not write, nor know what changes an execution: no command of the package
// execution stands on what is read here.
package view
