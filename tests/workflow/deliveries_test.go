package workflow

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	workflowpb "go.temporal.io/api/workflow/v1"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/receiver"
)

func tried(n int) func(redline.Delivery) bool {
	return func(d redline.Delivery) bool { return len(d.Attempts) >= n && d.Attempts[n-1].DurationMs != nil }
}

func TestDeliveries_SignedWithEveryKindOfSecret(t *testing.T) {
	env := kit.NewWorkspace(t)
	definition := kit.Instant(env)
	rows := env.DB()
	began := clockOf(t, rows).Unix()
	for name, given := range map[string]string{
		"plain": "a-plain-secret-of-a-caller", "decoded": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
		"not base64": "whsec_this is no base64!", "not ASCII": "ein-Geheimnis-mit-Ümläuten",
	} {
		path := "/" + strings.ReplaceAll(name, " ", "-")
		r := kit.Dispatch(env, definition, func(d *redline.DispatchRequest) {
			d.WebhookURL, d.WebhookSecret = new(env.Receiver().URL(path)), client.Given(given)
		})
		r.Ends("completed")
		events := r.Events()
		requests := env.Arrived(path, receiver.Count(len(events)))
		arrived := clockOf(t, rows).Unix()
		for i, request := range kit.BySeq(t, requests) {
			require.NoError(t, receiver.Verify(request, given), name)
			assert.Equal(t, "0", request.Header.Get("x-svc-attempt"))
			assert.Equal(t, "application/json", request.Header.Get("content-type"))
			assert.Equal(t, "svc-webhooks/1", request.Header.Get("user-agent"))
			assert.Empty(t, request.Header.Get("accept-encoding"))
			assert.Empty(t, request.Header.Get("traceparent"), "no trace header leaves the service")
			at, err := strconv.ParseInt(request.Header.Get("webhook-timestamp"), 10, 64)
			require.NoError(t, err)
			assert.GreaterOrEqual(t, at, began)
			assert.LessOrEqual(t, at, arrived, "the time of the attempt, by the clock of the rows")
			body, err := request.Read()
			require.NoError(t, err)
			assert.Equal(t, events[i].EventID, body.EventID)
			assert.Equal(t, events[i].Type, body.Event)
		}
	}
}

// clockOf reads the clock of Postgres, by which everything is timed.
func clockOf(t *testing.T, rows *pgx.Conn) (now time.Time) {
	t.Helper()
	require.NoError(t, rows.QueryRow(t.Context(), "SELECT clock_timestamp()").Scan(&now))
	return now
}

func TestDeliveries_FirstAttemptsBeginInTheOrderOfTheirSeq(t *testing.T) {
	env := kit.NewWorkspace(t)
	var nodes []redline.NodeInput
	var edges []redline.EdgeInput
	for i := range 10 {
		nodes = append(nodes, client.Mock(fmt.Sprint("n", i)))
		if i > 0 {
			edges = append(edges, client.Always(fmt.Sprint("n", i-1), fmt.Sprint("n", i)))
		}
	}
	r := kit.Dispatch(env, kit.Define(env, nodes, edges...), kit.WithReceiver(env, "/events"))
	r.Ends("completed")
	sent := r.Delivered()
	require.Len(t, sent, len(r.Events()))
	slices.SortFunc(sent, func(a, b redline.Delivery) int { return cmp.Compare(a.Seq, b.Seq) })
	require.True(t, slices.IsSortedFunc(sent, func(a, b redline.Delivery) int { return cmp.Compare(a.Attempts[0].At, b.Attempts[0].At) }), "%+v", sent)
}

func TestDeliveries_TheBodyHasTheFieldsInTheirOrder(t *testing.T) {
	env := kit.NewWorkspace(t)
	r := kit.Dispatch(env, kit.Instant(env), kit.WithReceiver(env, "/events"))
	first := kit.BySeq(t, env.Arrived("/events", receiver.Count(1)))[0]
	at := 0
	for _, name := range []string{
		"event", "eventId", "executionId", "definitionId", "definitionVersion", "stepId", "status", "seq", "timestamp", "correlationId", "data",
	} {
		next := strings.Index(string(first.Body)[at:], `"`+name+`":`)
		require.GreaterOrEqual(t, next, 0, "%s in %s", name, first.Body)
		at += next
	}
	body, err := first.Read()
	require.NoError(t, err)
	assert.Equal(t, r.ID, body.ExecutionID)
	assert.Equal(t, r.CorrelationID, body.CorrelationID)
	assert.Regexp(t, `^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`, body.Timestamp)
	assert.Nil(t, body.StepID, "an event of the execution has no step")
}

func TestDeliveries_AFailureIsTriedAgainWithTheSameBytes(t *testing.T) {
	env := kit.NewWorkspace(t)
	env.Receiver().AnswerBy("/events", kit.Unavailable(3))
	r := kit.Dispatch(env, kit.SignOff(env), kit.WithReceiver(env, "/events"))
	d := r.Delivery("execution.dispatched", "delivered in the end", kit.Has("delivered"))
	sent := requestsOf(env, "/events", d.EventID)
	require.Len(t, sent, len(d.Attempts))
	require.GreaterOrEqual(t, len(sent), 2)
	for i, request := range sent {
		require.NoError(t, receiver.Verify(request, kit.Secret))
		assert.Equal(t, strconv.Itoa(i), request.Header.Get("x-svc-attempt"))
		assert.Equal(t, string(sent[0].Body), string(request.Body))
		assert.EqualValues(t, i, d.Attempts[i].Attempt)
	}
	assert.Equal(t, "throttled", *d.Attempts[0].Error)
	assert.Equal(t, int64(503), *d.Attempts[0].HTTPStatus)
	assert.Nil(t, d.Attempts[len(sent)-1].Error)
	assert.GreaterOrEqual(t, d.Attempts[1].At, d.Attempts[0].At+2000, "again after two seconds, by the clock of the rows")
}

// requestsOf are the requests of one event, in the order of their arrival.
func requestsOf(env *kit.Env, path, eventID string) []receiver.Request {
	var found []receiver.Request
	for _, request := range env.Receiver().Requests(path) {
		if request.Header.Get("webhook-id") == eventID {
			found = append(found, request)
		}
	}
	return found
}

func TestDeliveries_ARedirectIsAFailureAndNotFollowed(t *testing.T) {
	env := kit.NewWorkspace(t)
	env.Receiver().Answer("/moved", receiver.Answer{Status: 302, Header: map[string]string{"location": env.Receiver().URL("/elsewhere")}})
	r := kit.Dispatch(env, kit.Instant(env), kit.WithReceiver(env, "/moved"))
	d := r.Delivery("execution.completed", "an attempt has ended", tried(1))
	assert.Equal(t, "http-3xx", *d.Attempts[0].Error)
	assert.Equal(t, int64(302), *d.Attempts[0].HTTPStatus)
	require.Empty(t, env.Receiver().Requests("/elsewhere"))
}

func TestDeliveries_ClassesOfAnswers(t *testing.T) {
	env := kit.NewWorkspace(t)
	definition := kit.Instant(env)
	for status, class := range map[int]string{404: "http-4xx", 410: "http-4xx", 429: "throttled", 500: "http-5xx"} {
		path := "/" + strconv.Itoa(status)
		env.Receiver().Answer(path, receiver.Status(status))
		d := kit.Dispatch(env, definition, kit.WithReceiver(env, path)).Delivery("execution.dispatched", "it waits for its next attempt", func(d redline.Delivery) bool {
			return len(d.Attempts) > 0 && d.NextAttemptAt != nil && tried(len(d.Attempts))(d)
		})
		seen := time.Now().UnixMilli()
		assert.Equal(t, class, *d.Attempts[0].Error)
		assert.Equal(t, redline.DeliveryStatusPending, d.Status, "tried again")
		last := d.Attempts[len(d.Attempts)-1]
		pause := []int64{2_000, 8_000, 32_000, 128_000, 512_000}[last.Attempt]
		assert.GreaterOrEqual(t, *d.NextAttemptAt, last.At+pause)
		assert.LessOrEqual(t, *d.NextAttemptAt, seen+pause)
	}
}

func TestDeliveries_NoAnswerInTimeIsATimeout(t *testing.T) {
	env := kit.NewWorkspace(t)
	gate := env.Receiver().Hold("/hang")
	r := kit.Dispatch(env, kit.Instant(env), kit.WithReceiver(env, "/hang"))
	kit.RequireReached(t, "the first attempt", gate.Reached())
	underWay := r.Delivery("execution.dispatched", "an attempt is under way", func(d redline.Delivery) bool {
		return len(d.Attempts) > 0 && d.Attempts[len(d.Attempts)-1].DurationMs == nil
	})
	assert.Equal(t, redline.DeliveryStatusPending, underWay.Status)
	r.Ends("completed") // a slow receiver never slows an execution
	d := r.Delivery("execution.dispatched", "the attempt is over", tried(1))
	assert.Equal(t, "timeout", *d.Attempts[0].Error)
	assert.Nil(t, d.Attempts[0].HTTPStatus)
	assert.GreaterOrEqual(t, *d.Attempts[0].DurationMs, int64(9900))
}

func TestDeliveries_AHangingPathDoesNotHoldUpItsNeighbours(t *testing.T) {
	env := kit.NewWorkspace(t)
	definition := kit.Instant(env)
	other, err := receiver.Start(env.Trusted)
	require.NoError(t, err)
	t.Cleanup(other.Close)
	gate := env.Receiver().Hold("/hang")
	hung := kit.Dispatch(env, definition, kit.WithReceiver(env, "/hang"))
	kit.RequireReached(t, "an attempt hangs", gate.Reached())
	r := kit.Dispatch(env, definition, func(d *redline.DispatchRequest) {
		d.WebhookURL, d.WebhookSecret = new(other.URL("/well")), new(kit.Secret)
	})
	r.Delivered()
	well := r.Delivery("execution.dispatched", "it arrived", tried(1)).Attempts[0]
	first := hung.Delivery("execution.dispatched", "what hangs is cut off", tried(1)).Attempts[0]
	assert.Less(t, well.At+*well.DurationMs, first.At+*first.DurationMs, "it arrived while the other hung")
}

func TestDeliveries_PagesAndStatuses(t *testing.T) {
	env := kit.NewWorkspace(t)
	r := kit.Dispatch(env, kit.Pipeline(env), kit.WithReceiver(env, "/events"))
	r.WaitsAt("review")
	r.Decide("review", "ann", "approve")
	r.Ends("completed")
	all := r.Delivered()
	events := r.Events()
	require.Len(t, all, len(events))
	var seqs []int64
	var cursor any
	for {
		var page redline.DeliveryPage
		data := map[string]any{"executionId": r.ID, "pageSize": 2}
		if cursor != nil {
			data["cursor"] = cursor
		}
		env.Call(client.GetDeliveries, data, &page)
		for _, d := range page.Items {
			seqs = append(seqs, d.Seq)
		}
		require.Equal(t, page.HasMore, page.NextCursor != nil)
		if !page.HasMore {
			break
		}
		cursor = *page.NextCursor
	}
	require.Len(t, seqs, len(events))
	for i, seq := range seqs {
		assert.Equal(t, events[len(events)-1-i].Seq, seq, "newest first, each once")
	}
	assert.Len(t, r.Deliveries("delivered"), len(events))
	assert.Empty(t, r.Deliveries("pending"))
	assert.Empty(t, r.Deliveries("dead"))
	env.RefusedAs("INVALID_ARGUMENT", client.GetDeliveries,
		map[string]any{"executionId": r.ID, "status": "pending", "cursor": cursor})
	env.RefusedAs("NOT_FOUND", client.GetDeliveries, map[string]any{"executionId": "exec_1_unknown0"})
	env.RefusedAs("NOT_FOUND", client.Redeliver, map[string]any{"executionId": "exec_1_unknown0"})
	other := begin2(env)
	other.RefusedAs("NOT_FOUND", client.GetDeliveries, map[string]any{"executionId": r.ID})
	other.RefusedAs("NOT_FOUND", client.Redeliver, map[string]any{"executionId": r.ID})
}

// begin2 is a second workspace in the same test.
func begin2(env *kit.Env) *kit.Env {
	env.T.Helper()
	return kit.Elsewhere(env)
}

// deliveryRunOf waits until the one run that tells the receivers of a workspace is
// shown.
func deliveryRunOf(o *kit.TemporalClient, workspaceID string) *commonpb.WorkflowExecution {
	o.T.Helper()
	var found []*workflowpb.WorkflowExecutionInfo
	kit.RequireEventually(o.T, "a run tells the receivers", func() bool {
		found = o.Search("RedlineKind = 'delivery' AND RedlineWorkspaceId = '" + workspaceID + "' AND ExecutionStatus = 'Running'")
		return len(found) == 1
	})
	return found[0].GetExecution()
}

func TestDeliveries_CancellingTheRunInTemporalEndsWhatWaits(t *testing.T) {
	env := kit.NewWorkspace(t)
	env.Receiver().Answer("/down", receiver.Status(500))
	r := kit.Dispatch(env, kit.Instant(env), kit.WithReceiver(env, "/down"))
	r.Delivery("execution.completed", "two attempts have failed, the next is far away", tried(2))
	o := kit.TemporalClientFor(t, temporalNamespace)
	of := deliveryRunOf(o, env.Workspace.ID)
	assert.True(t, strings.HasPrefix(of.GetWorkflowId(), "webhook/dst_"), of.GetWorkflowId())
	kit.RequireEventually(t, "the run shows how the destination stands", func() bool {
		details := o.Details(of)
		return strings.Contains(details, "rows waiting: ") && strings.Contains(details, "next: ")
	})
	require.NoError(t, o.CancelWorkflow(t.Context(), of.GetWorkflowId(), of.GetRunId()))
	kit.RequireEventually(t, "the run is cancelled", func() bool {
		answer, err := o.DescribeWorkflowExecution(t.Context(), of.GetWorkflowId(), of.GetRunId())
		return err == nil && answer.GetWorkflowExecutionInfo().GetStatus() == enumspb.WORKFLOW_EXECUTION_STATUS_CANCELED
	})
	kit.RequireEventually(t, "what waited is dead", func() bool { return len(r.Deliveries("dead")) == len(r.Events()) })

	env.Receiver().Answer("/down", receiver.Status(200))
	next := kit.Dispatch(env, kit.Instant(env), kit.WithReceiver(env, "/down"))
	next.Delivered() // rows committed later start a new run
	require.Equal(t, len(r.Events()), redeliver(r, nil))
	r.Delivered() // and so does what is asked for again
}

func TestDeliveries_TerminatingTheRunEndsNothing(t *testing.T) {
	env := kit.NewWorkspace(t)
	env.Receiver().AnswerBy("/events", func(int, receiver.Request) receiver.Answer { return receiver.Status(500) })
	r := kit.Dispatch(env, kit.Instant(env), kit.WithReceiver(env, "/events"))
	r.Delivery("execution.completed", "an attempt has failed", tried(2))
	o := kit.TemporalClientFor(t, temporalNamespace)
	of := deliveryRunOf(o, env.Workspace.ID)
	require.NoError(t, o.TerminateWorkflow(t.Context(), of.GetWorkflowId(), of.GetRunId(), "a test"))
	env.Receiver().Answer("/events", receiver.Status(200))
	r.Delivered()
}
