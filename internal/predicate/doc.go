// Package predicate is the language of an edge's `when`.
//
// A `when` is a short JSON text: a literal, {"var": path} or {"op": name,
// "args": [...]}. Parse finds everything that can be wrong with it, so a
// definition is refused before it is stored; Eval is total, so an execution
// never fails because of a predicate: a missing path is null, a type mismatch
// is false. An edge fires if and only if its expression yields boolean true.
//
// Three roots can be read: what the source of the edge produced (output), the
// step itself (step) and the triggerContext of the execution
// (execution.input). They are raw JSON, decoded only when an expression reads
// them and kept for the other edges of the same decision.
//
// Numbers are compared as exact decimals whatever their size: they are never
// expanded, so 1e999999999 costs as little as 1. Patterns are RE2, over at most
// 64 KiB of text and with a bounded program, which is that of all edges of one
// source together; what compares lists, objects or texts is evaluated once for all of these edges,
// no value is decoded twice, and no list is gone through for each of many values that are looked for
// in it: so one decision takes about a second of the processor at most.
//
// Value gives the same equality to whoever compares JSON without an expression, such as
// filters of triggers; paths are those of shape.
//
// The package must not know definitions, executions or stores.
package predicate
