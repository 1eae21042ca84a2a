// Package redline calls a Redline service: comment annotations, a review memory and durable
// workflow executions.
//
//	client, err := redline.New() // REDLINE_URL, REDLINE_API_KEY, REDLINE_AUTH_TOKEN
//	started, err := client.Executions.Dispatch(ctx, redline.DispatchRequest{DefinitionID: "editorial"})
//	ended, err := client.WaitForExecution(ctx, started.ExecutionID)
//
// A method returns what the operation answers with, without its envelope, or an *Error with
// status, reason, issues and the id of the request. It gives up when its context ends.
//
// A call is tried again when it was refused for now, after what the answer says, and when its
// answer was lost, but then only where a second call changes nothing more. So that this holds of
// calls that make something, their ids are made here before the first try: the idempotency key
// of a dispatch, the ids of annotations, comments and activities.
//
// A list that pages has a method that walks over all of it: Executions.ListAll and its like are
// iterators, and read the next page when it is needed.
//
// Free-form JSON of an answer is a JSON, whose Decode reads it into any struct, its numbers exact.
//
// A field of a request that is nil is not sent. Where null clears something, say so with Null:
//
//	client.Endpoints.Update(ctx, change, redline.Null("filterTypes"))
//
// What an answer says beside its result is in its headers, which Header keeps:
//
//	var header http.Header
//	found, err := client.Knowledge.Search(ctx, wanted, redline.Header(&header))
//	newest := header.Get("X-Svc-Degraded") == "recency"
//
// Verify and VerifySignature check what webhooks send. The types and methods are made from the
// published document; Call reaches what has no method here.
package redline
