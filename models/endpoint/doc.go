// Package endpoint holds the endpoints of workspaces, their secrets, and the
// workspace's settings of webhooks. Health disables an endpoint that failed for
// days or says that it is gone; the delivery engine calls it with what it records.
//
// An endpoint is disabled by Endpoints.Update in change.go or by Health in
// health.go. Once Update, Delete or Configure returns, no attempt starts that the
// change forbids (delivery.AwaitStarts); what waits is ended in the background
// (delivery.CancelPending).
//
// A recovery queues again what an endpoint missed (recover.go): a row that is open, and
// a job that works through the messages in batches, which hold that row.
//
// Tables: endpoints, endpoint_secrets, webhook_settings, recoveries.
//
// Locks, in this order: the row of webhook_settings, a recovery, endpoints by id, then what
// package delivery locks. An update, a rotation or a deletion locks the endpoint FOR UPDATE, a
// test of it or a look at its secret FOR KEY SHARE, Health FOR NO KEY UPDATE;
// Health comes last in the transaction that records attempts.
//
// It must not write deliveries by itself, nor send anything.
package endpoint
