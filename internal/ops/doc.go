// Package ops serves the operations listener, the second port of every process,
// for people who run the service and never for callers of it:
//
//	/healthz       200 while the process lives
//	/readyz        whether it can do its work, with each part that it uses
//	/metrics       Prometheus
//	/reference/    the published interface in a browser (Swagger UI)
//	/openapi.json  the same as a document
//	/debug/pprof/  profiles, where they are switched on
//	/v1/, /v2/     the interface itself, where trying it out is switched on
//
// It answers to addresses, to localhost and to names that it is given, so that no page
// in an operator's browser reaches it by a name of its own.
//
// The page and its scripts are in the binary, and its policy lets a browser
// fetch nothing from elsewhere. Where trying out is switched on, as in the
// development profile, a person tries an operation on the page with credentials
// of their own, and this listener answers it with the interface's own handler:
// so the interface needs to let no foreign page in, and requests of pages from
// elsewhere are refused here. It must stay off where the listener can be reached
// by others than the operators: calls that come this way pass by whatever stands
// in front of the interface, and by the domains of a key.
//
// The package knows no part by itself; it is given probes.
package ops
