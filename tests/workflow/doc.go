// Package workflow tests definitions, executions, steps, agents, triggers and schedules
// over HTTP, what Temporal's interface shows of them, and what is left of them when
// processes die. What it is written with is package kit.
package workflow
