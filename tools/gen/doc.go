// Command gen makes the clients out of the published document.
//
//	go run ./tools/gen document    writes clients/openapi.json, as the service publishes it
//	go run ./tools/gen freeze      writes what a release fixes: document, schema, histories, commit
//	go run ./tools/gen comparable  prints it in the shape in which two documents are compared
//	go run ./tools/gen schemas     prints its schemas in the shape that oapi-codegen reads best
//	go run ./tools/gen go          prints the methods of the Go client; also typescript, python
//	                               and python-async
//
// The document is the only source: shapes, names, how lists page and which calls may be
// repeated all stand in it, so a client that differs from the service is a client that was not
// made again (make clients). The types of Go come from oapi-codegen, those of the schemas that
// have no good type in Go are simplified before (see simplify). It must not know what an
// operation is about.
package main
