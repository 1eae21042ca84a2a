// Package bare is what the service is compared with: the same work without the
// service, on the same stack.
//
// Temporal runs workflows written directly against the SDK, in a namespace of their
// own. Sender brings rows to receivers without Temporal, by the grouped scheme that
// the service has too. Handler is a process that answers a known key with the two
// SELECTs that this takes; Serve is that process. Index asks the vector index itself.
//
// A bare side does what the caller of the service is given, by the shortest way that
// keeps the same promises, and nothing else: it is no second implementation of the
// service. What it takes is measured by the same code as the service's side, and it
// must not call the service.
package bare
