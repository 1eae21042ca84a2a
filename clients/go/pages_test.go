package redline

import (
	"strings"
	"testing"
)

func TestEveryWayOfPaging(t *testing.T) {
	t.Parallel()
	client, s := play(t,
		answer(200, `{"result":{"items":[{"executionId":"a"},{"executionId":"b"}],"nextCursor":"c1","hasMore":true}}`),
		answer(200, `{"result":{"items":[{"executionId":"c"}],"nextCursor":null,"hasMore":false}}`),
		answer(200, `{"result":{"status":"success","message":"m","data":[{"id":"d"}],"nextPageToken":"t1"}}`),
		answer(200, `{"result":{"status":"success","message":"m","data":[]}}`),
		answer(200, `{"result":{"status":"success","message":"m","data":{"messages":[{"event":"e"}],"iterator":"i1","done":false}}}`),
		answer(200, `{"result":{"status":"success","message":"m","data":{"messages":[{"event":"f"}],"iterator":"i2","done":true}}}`),
		answer(200, `{"result":{"executionId":"x","events":[{"seq":1}],"nextCursor":2,"hasMore":true}}`),
		answer(200, `{"result":{"executionId":"x","events":[{"seq":2}],"nextCursor":3,"hasMore":false}}`),
		answer(200, `{"result":[{"sourceId":"s"}]}`),
	)
	var executions []string
	for one, err := range client.Executions.ListAll(t.Context(), ListExecutionsRequest{}) {
		equal(t, nil, err)
		executions = append(executions, one.ExecutionID)
	}
	equal(t, "a b c", strings.Join(executions, " "))
	equal(t, "c1", s.calls()[1].data["cursor"].(string))
	equal(t, 1, count(t, client.Documents.GetAll(t.Context(), GetDocumentsRequest{OrganizationID: "acme"})))
	equal(t, "t1", s.calls()[3].data["pageToken"].(string))
	equal(t, 2, count(t, client.Messages.GetAll(t.Context(), ListMessagesRequest{})))
	equal(t, "i1", s.calls()[5].data["iterator"].(string))
	equal(t, 2, count(t, client.Executions.GetEventsAll(t.Context(), GetEventsRequest{ExecutionID: "x"})))
	equal(t, 2.0, s.calls()[7].data["sinceSeq"].(float64))
	equal(t, 1, count(t, client.Knowledge.ListAll(t.Context(), ListSourcesRequest{})))
	equal(t, 9, len(s.calls()))
}

func TestAListEndsWithItsError(t *testing.T) {
	t.Parallel()
	client, _ := play(t, answer(200, `{"result":{"items":[{"executionId":"a"}],"nextCursor":"c1","hasMore":true}}`),
		answer(404, `{"error":{"status":"NOT_FOUND","message":"gone","details":{"reason":"not-found"}}}`))
	seen, failed := 0, 0
	for _, err := range client.Executions.ListAll(t.Context(), ListExecutionsRequest{}) {
		if err != nil {
			equal(t, true, IsNotFound(err))
			failed++
		} else {
			seen++
		}
	}
	equal(t, 1, seen)
	equal(t, 1, failed)
}

func TestAListIsLeftInTheMiddle(t *testing.T) {
	t.Parallel()
	client, s := play(t, answer(200, `{"result":{"items":[{"executionId":"a"},{"executionId":"b"}],"nextCursor":"c1","hasMore":true}}`))
	for range client.Executions.ListAll(t.Context(), ListExecutionsRequest{}) {
		break
	}
	equal(t, 1, len(s.calls()))
}

func count[T any](t *testing.T, items func(func(T, error) bool)) int {
	t.Helper()
	n := 0
	items(func(_ T, err error) bool {
		equal(t, nil, err)
		n++
		return true
	})
	return n
}
