// Package contract holds every call of the tests against the OpenAPI document
// that the service publishes: each answer has to fit the schema of its
// operation, and so has each request that the service took.
//
// A Document is fetched and compiled once, and put around the transport of a
// client. A mismatch takes the place of the answer, so that the test fails
// where it called, and is kept for the end of the run, because a test that
// rides out a failing call would not show it.
//
// What is no such operation (signed addresses of files, the operators' port)
// is looked at when it is refused: all refusals under /v1 and /v2 have one form, but
// for those of operations that know no envelope.
package contract
