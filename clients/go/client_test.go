package redline

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// service plays a service: each call is kept and answered by the next of its answers, the last
// of which goes on.
type service struct {
	mu      sync.Mutex
	taken   []played
	answers []http.HandlerFunc
}

type played struct {
	path   string
	header http.Header
	data   map[string]any
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var sent struct{ Data map[string]any }
	text, _ := io.ReadAll(r.Body)
	_ = json.Unmarshal(text, &sent)
	s.mu.Lock()
	s.taken = append(s.taken, played{r.URL.Path, r.Header, sent.Data})
	answer := s.answers[min(len(s.taken), len(s.answers))-1]
	s.mu.Unlock()
	answer(w, r)
}

// calls returns what was called so far.
func (s *service) calls() []played {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.taken)
}

func play(t *testing.T, answers ...http.HandlerFunc) (*Client, *service) {
	t.Helper()
	s := &service{answers: answers}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	client, err := New(WithBaseURL(server.URL+"/"), WithAPIKey("key", "token"), WithWorkspace("ws", "wstoken"))
	if err != nil {
		t.Fatal(err)
	}
	client.pause = func(int) time.Duration { return 0 }
	return client, s
}

func answer(status int, body string, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// dropped takes the call and ends the connection without an answer.
func dropped(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

const started = `{"result":{"executionId":"ex_1","correlationId":"c","status":"running","isDuplicate":false}}`

func TestResultWithoutItsEnvelope(t *testing.T) {
	t.Parallel()
	client, s := play(t, answer(200, started))
	got, err := client.Executions.Dispatch(t.Context(), DispatchRequest{DefinitionID: "editorial"})
	equal(t, nil, err)
	equal(t, "ex_1", got.ExecutionID)
	equal(t, "/v2/workflow/executions/dispatch", s.calls()[0].path)
	equal(t, "key token", s.calls()[0].header.Get("x-svc-api-key")+" "+s.calls()[0].header.Get("x-svc-auth-token"))
	equal(t, "editorial", s.calls()[0].data["definitionId"])
}

func TestDataOfAResultWithAMessage(t *testing.T) {
	t.Parallel()
	client, _ := play(t, answer(200, `{"result":{"status":"success","message":"m","data":{"acme":{"success":true,"id":"org_1","message":"m"}}}}`))
	got, err := client.Organizations.Add(t.Context(), ChangedOrganizationsRequest{})
	equal(t, nil, err)
	equal(t, true, got["acme"].Success)
}

func TestTheWorkspacesOwnCredentials(t *testing.T) {
	t.Parallel()
	client, s := play(t, answer(200, `{"result":{"status":"success","message":"m","data":null}}`))
	equal(t, nil, client.APIKeys.Update(t.Context(), UpdateAPIKeyRequest{}))
	equal(t, "ws wstoken", s.calls()[0].header.Get("x-svc-workspace-id")+" "+s.calls()[0].header.Get("x-svc-workspace-auth-token"))
	equal(t, "", s.calls()[0].header.Get("x-svc-api-key"))
}

func TestAnErrorSaysEverything(t *testing.T) {
	t.Parallel()
	client, _ := play(t, answer(400, `{"error":{"status":"INVALID_ARGUMENT","message":"the request is faulty","details":{"reason":"invalid-argument",
		"issues":[{"code":"required","path":["nodes","0"],"message":"is missing"}]}}}`, "X-Request-Id", "rq_1"))
	_, err := client.Executions.Get(t.Context(), GetExecutionRequest{ExecutionID: "x"})
	refused := AsError(err)
	equal(t, ProblemStatusInvalidArgument, refused.Status)
	equal(t, "invalid-argument rq_1 required", string(refused.Reason)+" "+refused.RequestID+" "+refused.Issues[0].Code)
	equal(t, true, strings.Contains(err.Error(), "nodes.0: is missing"))
}

func TestAnErrorKnowsItsIssues(t *testing.T) {
	t.Parallel()
	refused := ErrorOf(429, http.Header{"X-Request-Id": {"rq_1"}, "Retry-After": {"7"}}, []byte(`{"error":{"status":"RESOURCE_EXHAUSTED","message":"m",
		"details":{"reason":"rate-limit","issues":[{"code":"required","path":[],"message":"is missing"}]}}}`))
	equal(t, true, refused.Has("required"))
	equal(t, false, refused.Has("range"))
	equal(t, ErrorDetailsReasonRateLimit, refused.Reason)
	equal(t, "429 rq_1 7s", strconv.Itoa(refused.HTTPStatus)+" "+refused.RequestID+" "+refused.RetryAfter.String())
	equal(t, 502, ErrorOf(502, nil, []byte(`<html>`)).HTTPStatus)
}

func TestHeadersOfEveryCall(t *testing.T) {
	t.Parallel()
	_, s := play(t, answer(200, started))
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	client, err := New(WithBaseURL(server.URL), WithAPIKey("key", "token"), WithAPIKey("", ""), WithWorkspace("", ""), WithHeader("X-Trace", "7"), WithHeader("x-svc-api-key", "other"))
	equal(t, nil, err)
	_, err = client.Executions.Get(t.Context(), GetExecutionRequest{ExecutionID: "x"})
	equal(t, nil, err)
	header := s.calls()[0].header
	equal(t, "7 other", header.Get("x-trace")+" "+header.Get("x-svc-api-key"))
	_, sent := header[http.CanonicalHeaderKey("x-svc-auth-token")]
	equal(t, false, sent)
}

func TestHeadersOfAnAnswer(t *testing.T) {
	t.Parallel()
	client, _ := play(t,
		answer(503, `{"error":{"status":"UNAVAILABLE"}}`, "Retry-After", "0"),
		answer(200, `{"result":{"results":[],"recordsSearched":0}}`, "X-Svc-Degraded", "recency"),
		answer(404, `{"error":{"status":"NOT_FOUND"}}`, "X-Request-Id", "req_2"))
	var header http.Header
	_, err := client.Knowledge.Search(t.Context(), KnowledgeSearchRequest{Query: "spring"}, Header(&header))
	equal(t, nil, err)
	equal(t, "recency", header.Get("x-svc-degraded"))
	_, err = client.Knowledge.Rules(t.Context(), NamedSourceRequest{SourceID: "none"}, Header(&header))
	equal(t, true, err != nil)
	equal(t, " req_2", header.Get("x-svc-degraded")+" "+header.Get("x-request-id"))
}

func TestWhatIsNotAnAnswerOfTheService(t *testing.T) {
	t.Parallel()
	for _, body := range []string{`<html>`, `{}`, `{"other":1}`, ``} {
		client, _ := play(t, answer(200, body))
		_, err := client.Executions.Get(t.Context(), GetExecutionRequest{ExecutionID: "x"})
		equal(t, true, AsError(err) != nil)
	}
}

func TestNullIsSentWhereItIsMeant(t *testing.T) {
	t.Parallel()
	client, s := play(t, answer(200, `{"result":{"status":"success","message":"m","data":{}}}`))
	_, err := client.Endpoints.Update(t.Context(), UpdateEndpointRequest{EndpointID: "ep"}, Null("filterTypes"), Null("metadata.deep"))
	equal(t, nil, err)
	value, sent := s.calls()[0].data["filterTypes"]
	equal(t, true, sent && value == nil)
	value, sent = s.calls()[0].data["metadata"].(map[string]any)["deep"]
	equal(t, true, sent && value == nil)
	_, sent = s.calls()[0].data["channels"]
	equal(t, false, sent)
}

func TestOwnKeysAreSentAndRead(t *testing.T) {
	t.Parallel()
	client, s := play(t, answer(200, `{"result":{"status":"success","message":"m","data":[{"id":"d","documentName":"n","pages":9007199254740993}]}}`))
	_, err := client.Documents.Add(t.Context(), AddDocumentsRequest{Documents: []AddedDocument{{DocumentID: "d", AdditionalProperties: map[string]any{"pages": 12}}}})
	equal(t, true, err != nil) // the answer is a list's
	equal(t, 12.0, s.calls()[0].data["documents"].([]any)[0].(map[string]any)["pages"].(float64))
	page, err := client.Documents.Get(t.Context(), GetDocumentsRequest{OrganizationID: "acme"})
	equal(t, nil, err)
	equal(t, "9007199254740993", string(page.Data[0].AdditionalProperties["pages"]))
}

func TestFreeFormValuesAreReadAsTheyAreWritten(t *testing.T) {
	t.Parallel()
	client, _ := play(t, answer(200, `{"result":{"executionId":"e","triggerContext":{ "n": 9007199254740993 },"steps":[{"stepId":"s","output":null}]}}`))
	seen, err := client.Executions.Get(t.Context(), GetExecutionRequest{ExecutionID: "e"})
	equal(t, nil, err)
	equal(t, `{ "n": 9007199254740993 }`, seen.TriggerContext.String())
	var own struct{ N int64 }
	equal(t, nil, seen.TriggerContext.Decode(&own))
	equal(t, 9007199254740993, own.N)
	equal(t, true, seen.Steps[0].Output == nil)
	equal(t, nil, seen.Steps[0].Output.Decode(&own))
	equal(t, 9007199254740993, own.N)
	text, err := json.Marshal(seen.Steps[0])
	equal(t, nil, err)
	equal(t, true, strings.Contains(string(text), `"output":null`))
	text, err = json.Marshal(seen)
	equal(t, nil, err)
	equal(t, true, strings.Contains(string(text), `"triggerContext":{"n":9007199254740993}`))
}

func TestAnEmptyListIsSentAndNoneIsNot(t *testing.T) {
	t.Parallel()
	done := answer(200, `{"result":{"status":"success","message":"m","data":{}}}`)
	client, s := play(t, done, done)
	_, err := client.Endpoints.Update(t.Context(), UpdateEndpointRequest{EndpointID: "ep", FilterTypes: []string{}})
	equal(t, nil, err)
	value, sent := s.calls()[0].data["filterTypes"]
	equal(t, true, sent && value != nil)
	_, err = client.Endpoints.Update(t.Context(), UpdateEndpointRequest{EndpointID: "ep"})
	equal(t, nil, err)
	_, sent = s.calls()[1].data["filterTypes"]
	equal(t, false, sent)
}

func TestNewWantsAnAddress(t *testing.T) {
	for _, address := range []string{"", "redline.test", "ftp://redline.test", "http://"} {
		t.Setenv("REDLINE_URL", address)
		_, err := New()
		equal(t, true, err != nil)
	}
	t.Setenv("REDLINE_URL", "https://redline.test/")
	client, err := New()
	equal(t, nil, err)
	equal(t, "https://redline.test", client.baseURL)
}

func TestAnEndedContextEndsTheCall(t *testing.T) {
	t.Parallel()
	client, s := play(t, answer(503, `{}`))
	ctx, cancel := context.WithCancel(t.Context())
	client.pause = func(int) time.Duration { cancel(); return time.Hour }
	_, err := client.Executions.Get(ctx, GetExecutionRequest{ExecutionID: "x"})
	equal(t, 503, AsError(err).HTTPStatus)
	equal(t, 1, len(s.calls()))
}

func equal[T comparable](t *testing.T, want, got T) {
	t.Helper()
	if want != got {
		t.Fatalf("want %v, got %v", want, got)
	}
}
