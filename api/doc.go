// Package api is the HTTP face of the service.
//
// routes.go is the one table of all operations, with the lines of each area in a
// file of its own (routes_workflow.go and so on). Each line gives the path, the
// function, and what differs from the usual: credentials, strictness, body
// limit, rate class. From this table come the mounted routes, the OpenAPI
// document, the labels of metrics and spans, and the contract test.
//
// New (server.go) puts the interface together from the parts that its process opened:
// cmd/redline does, and so do the tests of this package, which serve the whole table
// over a real Postgres and nothing else (server_test.go).
//
// From a line of the table one step leads to the area, the second to the file:
//
//	workspace      workspaces, API keys and their tokens, settings, mails
//	webhook        endpoints, their attempts, the types of events
//	workflow       definitions, executions, steps, deliveries
//	collaboration  organizations, folders, documents, users and grants, annotations and comments
//	memory         judgments, sources of knowledge and their files
//	rpc            the framework under all of them
//
// An operation is a method of 5 to 20 lines on a small struct of its area:
//
//	func (e *Executions) Get(ctx context.Context, req *GetExecution) (*view.ExecutionView, error)
//
// It knows neither Gin nor GORM. Rules of single fields are tags of the request
// struct, rules between fields its Validate method; the answer is a struct of the
// area, made from the row by a plain conversion. What comes in has been checked,
// what goes out is written by package rpc, and an error is a *fault.Error from
// below.
//
// The package validates, commits through models and answers. It must not know
// Temporal, and it must not hold state that another process of the
// same service would need. An area must not import another area: what two of them
// need is in rpc.
package api
