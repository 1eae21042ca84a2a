// Package mcp lets agents use a Redline service by the Model Context Protocol.
//
// A Server has tools that search, advise, read executions, steps and comments, and, where it may
// write, dispatch, decide and comment; definitions and documents are resources. Each tool is a
// function of its arguments to calls of the published interface (clients/go), so an agent may do
// what the credentials may, and no more. A server that is for one person acts for nobody else.
//
// What a tool answers with is bounded (see bound.go): a model reads it all, so a page that is
// larger is asked for again with fewer items, and longer texts are cut; a hint says how to go on.
// Retries, ids and idempotency keys are the client's. Protocol, schemas and sessions are the
// official SDK's; over HTTP, Handler checks Host, Origin and key before it.
//
// The package must not know anything of the service but its interface.
package mcp
