package tests

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

	"github.com/redline-svc/redline/tests/client"
	"github.com/redline-svc/redline/tests/receiver"
)

// deliveries are all of the execution, newest first.
func (r *run) deliveries(status string) []client.Delivery {
	r.s.t.Helper()
	data := map[string]any{"executionId": r.id}
	if status != "" {
		data["status"] = status
	}
	return everyPage[client.Delivery](r.s, "workflow/executions/getDeliveries", data)
}

// delivery waits until the delivery of an event type fits.
func (r *run) delivery(event, what string, fits func(client.Delivery) bool) client.Delivery {
	r.s.t.Helper()
	var found client.Delivery
	eventually(r.s.t, what, func() bool {
		for _, found = range r.deliveries("") {
			if found.Event == event && fits(found) {
				return true
			}
		}
		return false
	})
	return found
}

func has(status string) func(client.Delivery) bool {
	return func(d client.Delivery) bool { return d.Status == status }
}

func tried(n int) func(client.Delivery) bool {
	return func(d client.Delivery) bool { return len(d.Attempts) >= n && d.Attempts[n-1].DurationMs != nil }
}

// unavailable answers 503 until the nth request.
func unavailable(n int) func(int, receiver.Request) receiver.Answer {
	return func(i int, _ receiver.Request) receiver.Answer {
		if i < n {
			return receiver.Status(503)
		}
		return receiver.Status(200)
	}
}

func TestDeliveries_SignedWithEveryKindOfSecret(t *testing.T) {
	s := begin(t)
	definition := s.instant()
	rows := s.rows()
	began := clockOf(t, rows).Unix()
	for name, given := range map[string]string{
		"plain": "a-plain-secret-of-a-caller", "decoded": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
		"not base64": "whsec_this is no base64!", "not ASCII": "ein-Geheimnis-mit-Ümläuten",
	} {
		path := "/" + strings.ReplaceAll(name, " ", "-")
		r := s.dispatch(definition, func(d *client.Dispatch) {
			d.WebhookURL, d.WebhookSecret = s.receiver().URL(path), given
		})
		r.ends("completed")
		events := r.events()
		requests := s.arrived(path, receiver.Count(len(events)))
		arrived := clockOf(t, rows).Unix()
		for i, request := range bySeq(t, requests) {
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
	s := begin(t)
	var nodes []client.Node
	var edges []client.Edge
	for i := range 10 {
		nodes = append(nodes, client.Mock(fmt.Sprint("n", i)))
		if i > 0 {
			edges = append(edges, client.Always(fmt.Sprint("n", i-1), fmt.Sprint("n", i)))
		}
	}
	r := s.dispatch(s.define(nodes, edges...), s.withReceiver("/events"))
	r.ends("completed")
	sent := r.delivered()
	require.Len(t, sent, len(r.events()))
	slices.SortFunc(sent, func(a, b client.Delivery) int { return cmp.Compare(a.Seq, b.Seq) })
	require.True(t, slices.IsSortedFunc(sent, func(a, b client.Delivery) int { return cmp.Compare(a.Attempts[0].At, b.Attempts[0].At) }), "%+v", sent)
}

func TestDeliveries_TheBodyHasTheFieldsInTheirOrder(t *testing.T) {
	s := begin(t)
	r := s.dispatch(s.instant(), s.withReceiver("/events"))
	first := bySeq(t, s.arrived("/events", receiver.Count(1)))[0]
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
	assert.Equal(t, r.id, body.ExecutionID)
	assert.Equal(t, r.correlationID, body.CorrelationID)
	assert.Regexp(t, `^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`, body.Timestamp)
	assert.Nil(t, body.StepID, "an event of the execution has no step")
}

func TestDeliveries_AFailureIsTriedAgainWithTheSameBytes(t *testing.T) {
	s := begin(t)
	s.receiver().AnswerBy("/events", unavailable(3))
	r := s.dispatch(s.signOff(), s.withReceiver("/events"))
	d := r.delivery("execution.dispatched", "delivered in the end", has("delivered"))
	sent := requestsOf(s, "/events", d.EventID)
	require.Len(t, sent, len(d.Attempts))
	require.GreaterOrEqual(t, len(sent), 2)
	for i, request := range sent {
		require.NoError(t, receiver.Verify(request, secret))
		assert.Equal(t, strconv.Itoa(i), request.Header.Get("x-svc-attempt"))
		assert.Equal(t, string(sent[0].Body), string(request.Body))
		assert.Equal(t, i, d.Attempts[i].Attempt)
	}
	assert.Equal(t, "throttled", *d.Attempts[0].Error)
	assert.Equal(t, 503, *d.Attempts[0].HTTPStatus)
	assert.Nil(t, d.Attempts[len(sent)-1].Error)
	assert.GreaterOrEqual(t, d.Attempts[1].At, d.Attempts[0].At+2000, "again after two seconds, by the clock of the rows")
}

// requestsOf are the requests of one event, in the order of their arrival.
func requestsOf(s *scene, path, eventID string) []receiver.Request {
	var found []receiver.Request
	for _, request := range s.receiver().Requests(path) {
		if request.Header.Get("webhook-id") == eventID {
			found = append(found, request)
		}
	}
	return found
}

func TestDeliveries_ARedirectIsAFailureAndNotFollowed(t *testing.T) {
	s := begin(t)
	s.receiver().Answer("/moved", receiver.Answer{Status: 302, Header: map[string]string{"location": s.receiver().URL("/elsewhere")}})
	r := s.dispatch(s.instant(), s.withReceiver("/moved"))
	d := r.delivery("execution.completed", "an attempt has ended", tried(1))
	assert.Equal(t, "http-3xx", *d.Attempts[0].Error)
	assert.Equal(t, 302, *d.Attempts[0].HTTPStatus)
	require.Empty(t, s.receiver().Requests("/elsewhere"))
}

func TestDeliveries_ClassesOfAnswers(t *testing.T) {
	s := begin(t)
	definition := s.instant()
	for status, class := range map[int]string{404: "http-4xx", 410: "http-4xx", 429: "throttled", 500: "http-5xx"} {
		path := "/" + strconv.Itoa(status)
		s.receiver().Answer(path, receiver.Status(status))
		d := s.dispatch(definition, s.withReceiver(path)).delivery("execution.dispatched", "it waits for its next attempt", func(d client.Delivery) bool {
			return len(d.Attempts) > 0 && d.NextAttemptAt != nil && tried(len(d.Attempts))(d)
		})
		seen := time.Now().UnixMilli()
		assert.Equal(t, class, *d.Attempts[0].Error)
		assert.Equal(t, "pending", d.Status, "tried again")
		last := d.Attempts[len(d.Attempts)-1]
		pause := []int64{2_000, 8_000, 32_000, 128_000, 512_000}[last.Attempt]
		assert.GreaterOrEqual(t, *d.NextAttemptAt, last.At+pause)
		assert.LessOrEqual(t, *d.NextAttemptAt, seen+pause)
	}
}

func TestDeliveries_NoAnswerInTimeIsATimeout(t *testing.T) {
	s := begin(t)
	gate := s.receiver().Hold("/hang")
	r := s.dispatch(s.instant(), s.withReceiver("/hang"))
	reached(t, "the first attempt", gate.Reached())
	underWay := r.delivery("execution.dispatched", "an attempt is under way", func(d client.Delivery) bool {
		return len(d.Attempts) > 0 && d.Attempts[len(d.Attempts)-1].DurationMs == nil
	})
	assert.Equal(t, "pending", underWay.Status)
	r.ends("completed") // a slow receiver never slows an execution
	d := r.delivery("execution.dispatched", "the attempt is over", tried(1))
	assert.Equal(t, "timeout", *d.Attempts[0].Error)
	assert.Nil(t, d.Attempts[0].HTTPStatus)
	assert.GreaterOrEqual(t, *d.Attempts[0].DurationMs, 9900)
}

func TestDeliveries_AHangingPathDoesNotHoldUpItsNeighbours(t *testing.T) {
	s := begin(t)
	definition := s.instant()
	other, err := receiver.Start(s.trusted)
	require.NoError(t, err)
	t.Cleanup(other.Close)
	gate := s.receiver().Hold("/hang")
	hung := s.dispatch(definition, s.withReceiver("/hang"))
	reached(t, "an attempt hangs", gate.Reached())
	r := s.dispatch(definition, func(d *client.Dispatch) { d.WebhookURL, d.WebhookSecret = other.URL("/well"), secret })
	r.delivered()
	well := r.delivery("execution.dispatched", "it arrived", tried(1)).Attempts[0]
	first := hung.delivery("execution.dispatched", "what hangs is cut off", tried(1)).Attempts[0]
	assert.Less(t, well.At+int64(*well.DurationMs), first.At+int64(*first.DurationMs), "it arrived while the other hung")
}

func TestDeliveries_PagesAndStatuses(t *testing.T) {
	s := begin(t)
	r := s.dispatch(s.pipeline(), s.withReceiver("/events"))
	r.waitsAt("review")
	r.decide("review", "ann", "approve")
	r.ends("completed")
	all := r.delivered()
	events := r.events()
	require.Len(t, all, len(events))
	var seqs []int64
	var cursor any
	for {
		var page client.Page[client.Delivery]
		data := map[string]any{"executionId": r.id, "pageSize": 2}
		if cursor != nil {
			data["cursor"] = cursor
		}
		s.call("workflow/executions/getDeliveries", data, &page)
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
	assert.Len(t, r.deliveries("delivered"), len(events))
	assert.Empty(t, r.deliveries("pending"))
	assert.Empty(t, r.deliveries("dead"))
	s.refusedAs("INVALID_ARGUMENT", "workflow/executions/getDeliveries",
		map[string]any{"executionId": r.id, "status": "pending", "cursor": cursor})
	s.refusedAs("NOT_FOUND", "workflow/executions/getDeliveries", map[string]any{"executionId": "exec_1_unknown0"})
	s.refusedAs("NOT_FOUND", "workflow/executions/redeliver", map[string]any{"executionId": "exec_1_unknown0"})
	other := begin2(s)
	other.refusedAs("NOT_FOUND", "workflow/executions/getDeliveries", map[string]any{"executionId": r.id})
	other.refusedAs("NOT_FOUND", "workflow/executions/redeliver", map[string]any{"executionId": r.id})
}

// begin2 is a second workspace in the same story.
func begin2(s *scene) *scene {
	s.t.Helper()
	return s.elsewhere()
}

// delivering waits until the one run that tells the receivers of a workspace is
// shown.
func (o *operator) delivering(workspaceID string) *commonpb.WorkflowExecution {
	o.t.Helper()
	var found []*workflowpb.WorkflowExecutionInfo
	eventually(o.t, "a run tells the receivers", func() bool {
		found = o.search("RedlineKind = 'delivery' AND RedlineWorkspaceId = '" + workspaceID + "' AND ExecutionStatus = 'Running'")
		return len(found) == 1
	})
	return found[0].GetExecution()
}

func TestDeliveries_CancellingTheRunInTheEngineEndsWhatWaits(t *testing.T) {
	s := begin(t)
	s.receiver().Answer("/down", receiver.Status(500))
	r := s.dispatch(s.instant(), s.withReceiver("/down"))
	r.delivery("execution.completed", "two attempts have failed, the next is far away", tried(2))
	o := atTheEngine(t, engineNamespace)
	of := o.delivering(s.workspace.ID)
	assert.True(t, strings.HasPrefix(of.GetWorkflowId(), "webhook/dst_"), of.GetWorkflowId())
	eventually(t, "the run shows how the destination stands", func() bool {
		details := o.details(of)
		return strings.Contains(details, "rows waiting: ") && strings.Contains(details, "next: ")
	})
	require.NoError(t, o.CancelWorkflow(t.Context(), of.GetWorkflowId(), of.GetRunId()))
	eventually(t, "the run is cancelled", func() bool {
		answer, err := o.DescribeWorkflowExecution(t.Context(), of.GetWorkflowId(), of.GetRunId())
		return err == nil && answer.GetWorkflowExecutionInfo().GetStatus() == enumspb.WORKFLOW_EXECUTION_STATUS_CANCELED
	})
	eventually(t, "what waited is dead", func() bool { return len(r.deliveries("dead")) == len(r.events()) })

	s.receiver().Answer("/down", receiver.Status(200))
	next := s.dispatch(s.instant(), s.withReceiver("/down"))
	next.delivered() // rows committed later start a new run
	require.Equal(t, len(r.events()), r.redeliver(nil))
	r.delivered() // and so does what is asked for anew
}

func TestDeliveries_TerminatingTheRunEndsNothing(t *testing.T) {
	s := begin(t)
	s.receiver().AnswerBy("/events", func(int, receiver.Request) receiver.Answer { return receiver.Status(500) })
	r := s.dispatch(s.instant(), s.withReceiver("/events"))
	r.delivery("execution.completed", "an attempt has failed", tried(2))
	o := atTheEngine(t, engineNamespace)
	of := o.delivering(s.workspace.ID)
	require.NoError(t, o.TerminateWorkflow(t.Context(), of.GetWorkflowId(), of.GetRunId(), "a story"))
	s.receiver().Answer("/events", receiver.Status(200))
	r.delivered()
}
