// Package weaviate says how the development stack runs Weaviate: one node on
// loopback with ports of its own, anonymous access, no telemetry, and nothing
// made or compressed that was not asked for.
package weaviate
