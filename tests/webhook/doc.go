// Package webhook tests endpoints, their messages, deliveries, secrets and recoveries
// over HTTP; what arrives is verified with the official Standard Webhooks library.
// What it is written with is package kit.
package webhook
