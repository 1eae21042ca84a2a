// Package api is the HTTP face of the service.
//
// routes.go is the one table of all operations. Each line gives the path, the
// function, and what differs from the usual: credentials, strictness, body
// limit, rate class. From this table come the mounted routes, the OpenAPI
// document, the labels of metrics and spans, and the contract test.
//
// An operation is a method of 5 to 20 lines on a small struct of its area:
//
//	func (e *Executions) Get(ctx context.Context, req *GetExecution) (*ExecutionView, error)
//
// It knows neither Gin nor GORM. Rules of single fields are tags of the request
// struct, rules between fields its Validate method; what comes in has been
// checked, what goes out is written by the executor (operation.go, pipeline.go),
// and an error is a *fault.Error from below. Every request takes the same way:
// path and method, credentials, rate limit, content type and size, JSON and
// shape (all faults at once), then the function.
//
// The package validates, commits through models and answers. It must not know
// the workflow engine, and it must not hold state that another process of the
// same service would need.
package api
