// Package telemetry is how the service is seen from outside: logs, metrics and
// traces.
//
// Logs are JSON lines whose fields stand on a list; a field that is not on it
// is dropped, so a body, a token or an address cannot slip in by a careless
// line. Metrics are Prometheus vectors under the names published in the
// service's documentation; no tenant's id is ever a label. Traces are
// OpenTelemetry, sent by OTLP where an endpoint is configured; trace ids exist
// always, so a log line and a stored row can name them.
//
// The package knows neither operations nor rows. It must not read anything of
// a request by itself.
package telemetry
