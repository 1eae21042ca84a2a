package execution

import (
	"context"
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/activities/activitytest"
	"github.com/redline-svc/redline/internal/definition"
	"github.com/redline-svc/redline/internal/guard"
	"github.com/redline-svc/redline/internal/interpreter"
	"github.com/redline-svc/redline/internal/webhook"
	"github.com/redline-svc/redline/models/execution"
)

// receiver is the other side of a webhook step.
type receiver struct {
	got   guard.Request
	until time.Time
	reply *guard.Response
	err   error
}

func (r *receiver) Send(ctx context.Context, request guard.Request) (*guard.Response, error) {
	r.got = request
	r.until, _ = ctx.Deadline()
	return r.reply, r.err
}

var noon = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

// called makes the call at noon.
func (r *receiver) called(t *testing.T, call *execution.StepCall) interpreter.Outcome {
	t.Helper()
	steps := &WebhookCaller{client: func(string) sender { return r }}
	return steps.Call(t.Context(), call, func() time.Time { return noon })
}

// webhookCall is a call of a node with every default filled in.
func webhookCall(change func(*execution.StepCall)) *execution.StepCall {
	document := "doc_1"
	call := &execution.StepCall{
		WorkspaceID: "ws_1", ExecutionID: "exec_1", DefinitionID: "def", DefinitionVersion: 3,
		StepID: "step_publish_i1_a1_0123456789ab", NodeID: "publish", Iteration: 1, Attempt: 2, Number: 4,
		CorrelationID: "corr_1", DocumentID: &document,
		TriggerContext: json.RawMessage(`{"n":12345678901234567890.10,"t":"a<b"}`), Input: json.RawMessage(`{"x":1.0}`),
		Webhook: &definition.Webhook{
			URL: "https://receiver.example.com/hook", Mode: "sync", Method: "POST", BodyTemplate: "envelope",
			AuthMode: "hmac", TimeoutMs: 7000,
		},
		ReceiverSecret: "a-receiver-secret", LockedFor: 17 * time.Second,
	}
	if change != nil {
		change(call)
	}
	return call
}

func TestRequestOfAWebhookNode(t *testing.T) {
	r := &receiver{reply: activitytest.Answer(200, `{}`)}
	call := webhookCall(nil)
	begun := time.Now()
	outcome := r.called(t, call)
	require.Equal(t, interpreter.Success, outcome.Kind)
	require.Equal(t, 4, outcome.Call)
	require.Equal(t, "POST", r.got.Method)
	require.Equal(t, call.Webhook.URL, r.got.URL)
	require.JSONEq(t, `{"executionId":"exec_1","definitionId":"def","definitionVersion":3,"stepId":"step_publish_i1_a1_0123456789ab",
		"nodeId":"publish","iteration":1,"attempt":2,"correlationId":"corr_1","organizationId":null,"documentId":"doc_1","folderId":null,
		"triggerContext":{"n":12345678901234567890.10,"t":"a<b"},"input":{"x":1.0}}`, string(r.got.Body))
	require.Contains(t, string(r.got.Body), `12345678901234567890.10`, "numbers stay as they were sent")
	require.Equal(t, call.StepID, r.got.Header.Get("x-svc-event-id"))
	require.Equal(t, "4", r.got.Header.Get("x-svc-attempt"))
	require.Equal(t, "application/json", r.got.Header.Get("content-type"))
	require.WithinRange(t, r.until.Add(-7*time.Second), begun, time.Now(), "the node's own limit")
}

func TestWebhookNodeIsSignedWithItsOwnKey(t *testing.T) {
	r := &receiver{reply: activitytest.Answer(200, ``)}
	call := webhookCall(nil)
	r.called(t, call)
	key := webhook.NodeKey([]byte("a-receiver-secret"), "publish")
	want := webhook.Headers([]byte(key), call.StepID, 4, noon, r.got.Body)
	for _, name := range []string{"x-svc-signature", "webhook-id", "webhook-timestamp", "webhook-signature"} {
		require.NotEmpty(t, r.got.Header.Get(name), name)
		require.Equal(t, want.Get(name), r.got.Header.Get(name), name)
	}
	forged := webhook.Headers([]byte("a-receiver-secret"), call.StepID, 4, noon, r.got.Body)
	require.NotEqual(t, forged.Get("x-svc-signature"), r.got.Header.Get("x-svc-signature"))
}

func TestBodiesAndAuthOfWebhookNodes(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*execution.StepCall)
		check  func(*testing.T, guard.Request)
	}{
		"pass-through": {
			func(c *execution.StepCall) { c.Webhook.BodyTemplate = "pass-through" },
			func(t *testing.T, r guard.Request) { require.Equal(t, `{"x":1.0}`, string(r.Body)) },
		},
		"none": {
			func(c *execution.StepCall) { c.Webhook.Method, c.Webhook.BodyTemplate = "GET", "none" },
			func(t *testing.T, r guard.Request) {
				require.Equal(t, "GET", r.Method)
				require.Nil(t, r.Body)
				require.Empty(t, r.Header.Get("content-type"))
				require.NotEmpty(t, r.Header.Get("x-svc-signature"))
			},
		},
		"token": {
			func(c *execution.StepCall) {
				c.Webhook.AuthMode, c.Webhook.AuthTokenHeader, c.AuthToken = "token", "authorization", "Bearer 1"
			},
			func(t *testing.T, r guard.Request) {
				require.Equal(t, "Bearer 1", r.Header.Get("authorization"))
				require.Empty(t, r.Header.Get("x-svc-signature"))
				require.Empty(t, r.Header.Get("webhook-signature"))
			},
		},
		"no auth": {
			func(c *execution.StepCall) { c.Webhook.AuthMode, c.ReceiverSecret = "none", "" },
			func(t *testing.T, r guard.Request) {
				require.Empty(t, r.Header.Get("x-svc-signature"))
				require.Equal(t, "4", r.Header.Get("x-svc-attempt"))
			},
		},
		"own headers": {
			func(c *execution.StepCall) {
				c.Webhook.RequestHeaders = map[string]string{"x-tenant": "t1", "Accept": "text/plain"}
			},
			func(t *testing.T, r guard.Request) {
				require.Equal(t, "t1", r.Header.Get("x-tenant"))
				require.Equal(t, "text/plain", r.Header.Get("accept"))
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := &receiver{reply: activitytest.Answer(200, ``)}
			require.Equal(t, interpreter.Success, r.called(t, webhookCall(c.change)).Kind)
			c.check(t, r.got)
		})
	}
}

func TestOutcomesOfWebhookNodes(t *testing.T) {
	codes := func(codes ...int) func(*execution.StepCall) {
		return func(c *execution.StepCall) { c.Webhook.ExpectedStatusCodes = codes }
	}
	for name, c := range map[string]struct {
		change func(*execution.StepCall)
		reply  *guard.Response
		err    error
		kind   interpreter.OutcomeKind
		code   string
		after  int64
	}{
		"200":                  {nil, activitytest.Answer(200, `{}`), nil, interpreter.Success, "", 0},
		"204":                  {nil, activitytest.Answer(204, ``), nil, interpreter.Success, "", 0},
		"302":                  {nil, activitytest.Answer(302, ``, "location", "https://other.example.com"), nil, interpreter.Permanent, codeStatus, 0},
		"400":                  {nil, activitytest.Answer(400, ``), nil, interpreter.Permanent, codeStatus, 0},
		"408":                  {nil, activitytest.Answer(408, ``), nil, interpreter.Transient, codeStatus, 0},
		"429":                  {nil, activitytest.Answer(429, ``, "retry-after", "7"), nil, interpreter.Transient, codeStatus, 7000},
		"503 with a date":      {nil, activitytest.Answer(503, ``, "retry-after", "Mon, 04 May 2026 12:01:00 GMT"), nil, interpreter.Transient, codeStatus, 60_000},
		"503 with a past date": {nil, activitytest.Answer(503, ``, "retry-after", "Mon, 04 May 2026 11:01:00 GMT"), nil, interpreter.Transient, codeStatus, 0},
		"503, date for date":   {nil, activitytest.Answer(503, ``, "retry-after", "Mon, 04 May 2026 12:01:00 GMT", "date", "Mon, 04 May 2026 12:00:50 GMT"), nil, interpreter.Transient, codeStatus, 10_000},
		"429 for very long":    {nil, activitytest.Answer(429, ``, "retry-after", "2147483648"), nil, interpreter.Transient, codeStatus, math.MaxInt32 * 1000},
		"429 below nothing":    {nil, activitytest.Answer(429, ``, "retry-after", "-2147483649"), nil, interpreter.Transient, codeStatus, 0},
		"503 with nonsense":    {nil, activitytest.Answer(503, ``, "retry-after", "soon"), nil, interpreter.Transient, codeStatus, 0},
		"500 with retry-after": {nil, activitytest.Answer(500, ``, "retry-after", "7"), nil, interpreter.Transient, codeStatus, 0},
		"404 expected":         {codes(404), activitytest.Answer(404, ``), nil, interpreter.Success, "", 0},
		"503 expected":         {codes(503), activitytest.Answer(503, ``), nil, interpreter.Success, "", 0},
		"200 not expected":     {codes(201), activitytest.Answer(200, ``), nil, interpreter.Permanent, codeStatus, 0},
		"no answer":            {nil, nil, &guard.Error{Class: guard.ClassTimeout}, interpreter.Transient, codeUnreachable, 0},
		"no name":              {nil, nil, &guard.Error{Class: guard.ClassDNS}, interpreter.Transient, codeUnreachable, 0},
		"refused":              {nil, nil, &guard.Error{Class: guard.ClassRefused, Rule: "private"}, interpreter.Permanent, codeBlocked, 0},
		"broken body":          {nil, &guard.Response{Status: 200, BodyErr: &guard.Error{Class: guard.ClassTimeout}}, nil, interpreter.Transient, codeUnreachable, 0},
	} {
		t.Run(name, func(t *testing.T) {
			r := &receiver{reply: c.reply, err: c.err}
			o := r.called(t, webhookCall(c.change))
			require.Equal(t, c.kind, o.Kind)
			require.Equal(t, c.code, o.Code)
			require.Equal(t, c.after, o.RetryAfterMs)
			require.Equal(t, 4, o.Call)
			require.NotContains(t, o.Message, "private", "the rule is not for the tenant")
			if c.err == nil && c.reply.BodyErr == nil {
				require.Equal(t, c.reply.Status, o.HTTPStatus)
				require.NotNil(t, o.Output)
			}
		})
	}
}

func TestNothingIsSentWithoutWhatProvesTheSender(t *testing.T) {
	for code, change := range map[string]func(*execution.StepCall){
		codeSecretMissing: func(c *execution.StepCall) { c.ReceiverSecret = "" },
		codeTokenMissing:  func(c *execution.StepCall) { c.Webhook.AuthMode, c.Webhook.AuthTokenHeader = "token", "x-token" },
	} {
		r := &receiver{reply: activitytest.Answer(200, ``)}
		o := r.called(t, webhookCall(change))
		require.Equal(t, interpreter.Permanent, o.Kind)
		require.Equal(t, code, o.Code)
		require.Empty(t, r.got.URL)
	}
	r := &receiver{reply: activitytest.Answer(200, ``)}
	o := r.called(t, webhookCall(func(c *execution.StepCall) {
		c.Webhook.AuthMode, c.Webhook.AuthTokenHeader, c.AuthToken = "token", "x-token", "two\r\nlines"
	}))
	require.Equal(t, codeTokenMissing, o.Code)
	require.Empty(t, r.got.URL)
}

// read is the output of a reply, read back.
type read struct {
	out      map[string]any
	raw      string
	decision string
	empty    bool
}

func outputRead(t *testing.T, reply *guard.Response) read {
	t.Helper()
	raw, decision, empty := stepOutput("publish", reply)
	r := read{raw: string(raw), decision: decision, empty: empty}
	require.NoError(t, json.Unmarshal(raw, &r.out))
	require.LessOrEqual(t, len(raw), outputLimit)
	return r
}

func TestOutputOfAReply(t *testing.T) {
	body := ` {"id": 12345678901234567890, "decision":"reject"} `
	r := outputRead(t, activitytest.Answer(201, body, "Content-Type", "application/json", "ETag", `"1"`, "Set-Cookie", "secret"))
	require.False(t, r.empty)
	require.Equal(t, "reject", r.decision)
	require.InDelta(t, 201, r.out["httpStatus"], 0)
	require.Equal(t, map[string]any{"content-type": "application/json", "etag": `"1"`}, r.out["responseHeaders"])
	require.Contains(t, r.raw, `"responseJson":{"id":12345678901234567890,"decision":"reject"}`)
	require.Equal(t, any(body), r.out["responseText"])
	require.Equal(t, false, r.out["responseTruncated"])
	require.Equal(t, "reject", r.out["decision"])
	require.Equal(t, "publish", r.out["rejectedBy"])
	require.Equal(t, true, r.out["rejectorMandatory"])
}

func TestOutputOfOtherReplies(t *testing.T) {
	r := outputRead(t, activitytest.Answer(200, " \n"))
	require.True(t, r.empty)
	require.Empty(t, r.decision)
	require.NotContains(t, r.out, "responseJson")

	for _, body := range []string{`{"decision":"maybe"}`, `{"decision":1}`, `["approve"]`, `"approve"`, `null`, `{"d":{"decision":"approve"}}`} {
		r = outputRead(t, activitytest.Answer(200, body))
		require.Empty(t, r.decision, body)
		require.NotContains(t, r.out, "decision")
	}

	r = outputRead(t, activitytest.Answer(200, `{"decision":"approve"}`))
	require.Equal(t, "approve", r.decision)
	require.NotContains(t, r.out, "rejectedBy")

	require.Equal(t, "not \uFFFD JSON", outputRead(t, activitytest.Answer(200, "not \xff JSON")).out["responseText"])
}

func TestLongRepliesAreTruncatedAndMarked(t *testing.T) {
	r := outputRead(t, activitytest.Answer(200, strings.Repeat("ä", 40_000)[:replyLimit]))
	require.Equal(t, true, r.out["responseTruncated"])
	require.Greater(t, len(r.out["responseText"].(string)), 60_000)

	r = outputRead(t, activitytest.Answer(200, `{"t":"`+strings.Repeat("x", 40_000)+`"}`))
	require.Len(t, r.out["responseJson"].(map[string]any)["t"], 40_000, "JSON comes first")
	require.Equal(t, true, r.out["responseTruncated"], "the text has what is left")
	require.Greater(t, len(r.out["responseText"].(string)), 20_000)

	r = outputRead(t, activitytest.Answer(200, strings.Repeat(`"`, 60_000)))
	require.Equal(t, true, r.out["responseTruncated"], "as JSON each of them takes two bytes")

	truncated := activitytest.Answer(200, `{"decision":"approve"}`)
	truncated.Truncated = true
	r = outputRead(t, truncated)
	require.Equal(t, true, r.out["responseTruncated"])
	require.Empty(t, r.decision, "half a text is not JSON")
}

func TestDeeplyNestedRepliesAreKeptAsText(t *testing.T) {
	deep := strings.Repeat("[", maxDepth+1) + strings.Repeat("]", maxDepth+1)
	r := outputRead(t, activitytest.Answer(200, deep))
	require.NotContains(t, r.out, "responseJson")
	require.Equal(t, any(deep), r.out["responseText"])
	require.Equal(t, 1, depth([]byte(`["[[[", "\"[[["]`)))
	require.Equal(t, 2, depth([]byte(`[{"a":1},{}]`)))
}

func FuzzOutputFitsItsLimit(f *testing.F) {
	f.Add([]byte(`{"decision":"reject"}`), "text/plain")
	f.Add([]byte("\u2028<>&\x00\x1f\\"), "\xff")
	f.Add([]byte(strings.Repeat("\u2028", 20_000)), strings.Repeat("\"", 5000))
	f.Fuzz(func(t *testing.T, body []byte, header string) {
		reply := activitytest.Answer(200, "", "content-type", header, "location", header)
		if reply.Body = body; len(body) > replyLimit {
			reply.Body, reply.Truncated = body[:replyLimit], true
		}
		raw, _, _ := stepOutput("publish", reply)
		if len(raw) > outputLimit {
			t.Fatalf("%d bytes", len(raw))
		}
		if !json.Valid(raw) {
			t.Fatalf("not JSON: %q", raw)
		}
	})
}
