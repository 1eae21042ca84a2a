// Package inbound reads requests that start executions from outside: it proves them,
// and takes from them what the trigger's definition says.
//
// Proved (proof.go) compares a request with the trigger's secret over the bytes as
// they came; nothing of a body is parsed before. Only Named looks into a body first,
// for the ids of a sender that cannot put them into its address. Read (delivery.go)
// then gives the event's name, the id by which a resend is known, and the trigger
// context; Delivery.Passes holds both against what the trigger lets through.
//
// Secrets and signatures are compared in constant time by the standard library.
//
// The package must not know HTTP servers, workspaces or stores, and it must not keep
// or log what it reads.
package inbound
