package redline

import (
	"net/http"
	"testing"
	"time"
)

const (
	away    = `{"error":{"status":"UNAVAILABLE","message":"away","details":{"reason":"unavailable"}}}`
	limited = `{"error":{"status":"RESOURCE_EXHAUSTED","message":"too fast","details":{"reason":"busy"}}}`
	exists  = `{"error":{"status":"ALREADY_EXISTS","message":"in use","details":{"reason":"already-exists"}}}`
)

func TestACallWhoseAnswerIsLostIsMadeAgainWhereThatChangesNothing(t *testing.T) {
	t.Parallel()
	client, s := play(t, dropped, answer(503, away), answer(200, started))
	got, err := client.Executions.Dispatch(t.Context(), DispatchRequest{DefinitionID: "editorial"})
	equal(t, nil, err)
	equal(t, "ex_1", got.ExecutionID)
	equal(t, 3, len(s.calls()))
	first := s.calls()[0].data["idempotencyKey"].(string)
	equal(t, true, len(first) >= 20)
	equal(t, first, s.calls()[1].data["idempotencyKey"].(string))
	equal(t, first, s.calls()[2].data["idempotencyKey"].(string))
}

func TestTwoDispatchesHaveTwoKeys(t *testing.T) {
	t.Parallel()
	client, s := play(t, answer(200, started))
	for range 2 {
		_, err := client.Executions.Dispatch(t.Context(), DispatchRequest{DefinitionID: "editorial"})
		equal(t, nil, err)
	}
	equal(t, true, s.calls()[0].data["idempotencyKey"] != s.calls()[1].data["idempotencyKey"])
}

func TestTheCallersKeyStays(t *testing.T) {
	t.Parallel()
	client, s := play(t, answer(200, started))
	key := "mine"
	_, err := client.Executions.Dispatch(t.Context(), DispatchRequest{DefinitionID: "editorial", IdempotencyKey: &key})
	equal(t, nil, err)
	equal(t, "mine", s.calls()[0].data["idempotencyKey"].(string))
}

func TestWhatWouldHappenTwiceIsNotRepeated(t *testing.T) {
	t.Parallel()
	for _, lost := range []http.HandlerFunc{dropped, answer(503, away), answer(504, ``)} {
		client, s := play(t, lost)
		_, err := client.Endpoints.RotateSecret(t.Context(), RotateEndpointSecretRequest{EndpointID: "ep"})
		equal(t, true, err != nil)
		equal(t, 1, len(s.calls()))
	}
}

func TestALimitIsWaitedForWhateverTheCall(t *testing.T) {
	t.Parallel()
	client, s := play(t, answer(429, limited, "Retry-After", "1"), answer(200, `{"result":{"status":"success","message":"m","data":{"secret":"s"}}}`))
	before := time.Now()
	_, err := client.Endpoints.RotateSecret(t.Context(), RotateEndpointSecretRequest{EndpointID: "ep"})
	equal(t, nil, err)
	equal(t, 2, len(s.calls()))
	equal(t, true, time.Since(before) >= time.Second)
}

func TestAQuotaIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	client, s := play(t, answer(429, limited))
	_, err := client.Users.Get(t.Context(), GetUsersRequest{OrganizationID: "acme"})
	equal(t, 429, AsError(err).HTTPStatus)
	equal(t, 1, len(s.calls()))
}

func TestTriesEnd(t *testing.T) {
	t.Parallel()
	client, s := play(t, answer(503, away))
	_, err := client.Users.Get(t.Context(), GetUsersRequest{OrganizationID: "acme"})
	equal(t, ProblemStatusUnavailable, AsError(err).Status)
	equal(t, 1+usualRetries, len(s.calls()))
}

func TestAnAddWhoseAnswerWasLostIsKnownByItsIDs(t *testing.T) {
	t.Parallel()
	client, s := play(t, dropped, answer(409, exists))
	added, err := client.Annotations.Add(t.Context(), AddAnnotationsRequest{
		OrganizationID: "acme", DocumentID: "d",
		CommentAnnotations: []AnnotationInput{{CommentData: []CommentInput{{}, {}}}},
	})
	equal(t, nil, err)
	equal(t, 2, len(s.calls()))
	sent := s.calls()[0].data["commentAnnotations"].([]any)[0].(map[string]any)
	id := sent["annotationId"].(string)
	equal(t, true, added[id].Success)
	equal(t, 2, len(added[id].CommentIds))
	equal(t, int64(sent["commentData"].([]any)[1].(map[string]any)["commentId"].(float64)), added[id].CommentIds[1])
}

func TestCommentsAndActivitiesWhoseAnswerWasLost(t *testing.T) {
	t.Parallel()
	client, s := play(t, dropped, answer(409, exists), dropped, answer(409, exists))
	ids, err := client.Comments.Add(t.Context(), AddCommentsRequest{Comments: []CommentInput{{}}})
	equal(t, nil, err)
	equal(t, int64(s.calls()[0].data["comments"].([]any)[0].(map[string]any)["commentId"].(float64)), ids[0])
	items, err := client.Activities.Add(t.Context(), AddActivitiesRequest{Activities: []ActivityInput{{}}})
	equal(t, nil, err)
	equal(t, true, items[s.calls()[2].data["activities"].([]any)[0].(map[string]any)["id"].(string)].Success)
}

func TestAnIDInUseIsAnErrorWhereItWasTheCallers(t *testing.T) {
	t.Parallel()
	client, s := play(t, dropped, answer(409, exists))
	id := "mine"
	_, err := client.Activities.Add(t.Context(), AddActivitiesRequest{Activities: []ActivityInput{{ID: &id}}})
	equal(t, ProblemStatusAlreadyExists, AsError(err).Status)
	equal(t, 2, len(s.calls()))
	client, _ = play(t, answer(409, exists)) // nothing was lost
	_, err = client.Activities.Add(t.Context(), AddActivitiesRequest{Activities: []ActivityInput{{}}})
	equal(t, ProblemStatusAlreadyExists, AsError(err).Status)
}
