// Package ops serves the operations listener, the second port of every process,
// for people who run the service and never for callers of it:
//
//	/healthz       200 while the process lives
//	/readyz        whether it can do its work, with each part that it uses
//	/metrics       Prometheus
//	/reference     the published interface, readable in a browser
//	/openapi.json  the same as a document
//	/debug/pprof/  profiles, where they are switched on
//
// The page is one file without a network: no script, font or style is fetched.
// The package knows no part by itself; it is given probes.
package ops
