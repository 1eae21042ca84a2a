// Package rpc is the framework under the HTTP interface: the only code that
// decodes, checks, maps errors and writes answers.
//
// A Route is one operation and what differs from the usual. Post makes one of a
// function and its request and result structs (operation.go), Upload and Download
// make those of signed addresses for files (upload.go, download.go), Raw that of
// senders outside who know no envelope (raw.go). NewServer
// mounts a table of routes and makes the OpenAPI document of it (server.go,
// openapi.go, schema.go).
//
// Every request takes the same way (pipeline.go): path and method, credentials,
// rate limit, over which it is refused after a while, and origin (admit.go, origin.go), room for its bytes beside those of other
// requests (room.go), content type and size (body.go),
// JSON and shape with all faults at once (operation.go), then the function, then
// one result or one error (answer.go). An operation finds its caller with
// CallerFrom and may add a header with SetHeader.
//
// What operations of several areas answer with, or check their requests by, is
// here too: Success, Keyed and Slots (result.go), a page of a
// list and its token (pages.go), issues and checks of addresses (issues.go), times in two
// forms (instant.go). Lists of an answer are never null (lists.go).
//
// The package must not know any area, path or store: it is given routes, and the
// interfaces Credentials, Limiter, Refusals and Origins. Nobody else may know
// Gin.
package rpc
