package rpc

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/workspace"
)

func TestEnvelopeOfAResult(t *testing.T) {
	got := newBench(t).post(t, "/v2/test/strict", `{"data":{"name":"é","free":{"n":9007199254740993,"x":1.10}}}`)
	require.Equal(t, http.StatusOK, got.Code, got.Body)
	require.Equal(t, "application/json", got.Header().Get("Content-Type"))
	require.Contains(t, got.Body.String(), `"text":"<é>"`, "text is not escaped")
	require.Contains(t, got.Body.String(), `"free":{"n":9007199254740993,"x":1.10}`, "numbers stay as sent")
	require.Contains(t, got.Body.String(), `"other":null`)
	require.Equal(t, "é", got.Header().Get("X-Svc-Unknown-Event-Types"))
	require.NotContains(t, got.Body.String(), "$schema")
}

func TestEnvelopeOfARequest(t *testing.T) {
	b := newBench(t)
	deep := strings.Repeat("[", 62) + strings.Repeat("]", 62)
	cases := map[string]string{
		``:                                    "required",
		`{}`:                                  "required",
		`{"Data":{"name":"a"}}`:               "required",
		`{"data":null}`:                       "required",
		`{"data":[]}`:                         "type",
		`{"data":"x"}`:                        "type",
		`[]`:                                  "type",
		`7`:                                   "type",
		`{"data":{"name":"a"}} {}`:            "format",
		`{"data":{"name":"a"}`:                "format",
		`not json`:                            "format",
		"{\"data\":{\"name\":\"\xff\"}}":      "format",
		`{"data":{"name":"a"},"data":{}}`:     "duplicate",
		`{"data":{"name":"a"},"d\u0061ta":1}`: "duplicate",
		`{"data":{"name":"a"},"more":1}`:      "unknown-key",
		strings.Repeat("[", 1<<20):            "format",
		`{"data":{"name":"a","free":{"x":` + deep + `}}}`: "format",
	}
	for body, code := range cases {
		got := b.post(t, "/v2/test/strict", body)
		require.Equal(t, http.StatusBadRequest, got.Code, body[:min(len(body), 80)])
		require.Equal(t, fault.StatusInvalidArgument, got.Error.Status)
		require.Equal(t, []string{}, got.Error.Details.Issues[0].Path)
		require.Equal(t, code, got.Error.Details.Issues[0].Code, body[:min(len(body), 80)])
	}
	got := b.post(t, "/v2/test/loose", `{"more":1,"data":{"name":"a","x":1},"a,b":2}`)
	require.Equal(t, http.StatusOK, got.Code)
	require.Equal(t, "more,a%2Cb,x", got.Header().Get("X-Svc-Ignored-Fields"))
}

func TestAllFaultsAtOnce(t *testing.T) {
	got := newBench(t).post(t, "/v2/test/strict", `{"data":{"name":"12345678901","to":"x","from":3,"nope":1}}`)
	require.Equal(t, http.StatusBadRequest, got.Code)
	var codes []string
	for _, issue := range got.Error.Details.Issues {
		codes = append(codes, issue.Code+" "+strings.Join(issue.Path, "."))
	}
	require.Equal(t, []string{"length name", "type to", "unknown-key nope", "conflict from"}, codes,
		"a field at fault gets no second word from the rules between fields")
	require.Equal(t, "name: must have at most 10 characters", got.Error.Message)
	require.Equal(t, reason("invalid-argument"), got.Error.Details.Reason)
}

func TestIgnoredFields(t *testing.T) {
	b := newBench(t)
	got := b.post(t, "/v2/test/loose", `{"data":{"name":"a","x,y":1,"line\nbreak":2,"a.b":3,"Name":4}}`)
	require.Equal(t, http.StatusOK, got.Code, got.Body)
	require.Equal(t, "x%2Cy,line%0Abreak,a%2Eb,Name", got.Header().Get("X-Svc-Ignored-Fields"))
	got = b.post(t, "/v2/test/loose", `{"data":{"name":"a","x":1,"name":"b"}}`)
	require.Equal(t, "x", got.Header().Get("X-Svc-Ignored-Fields"), "also beside an error")
	require.Equal(t, "duplicate", got.Error.Details.Issues[0].Code)

	many := make([]string, 30)
	for i := range many {
		many[i] = `"` + strings.Repeat("k", i+1) + `":1`
	}
	got = b.post(t, "/v2/test/loose", `{"data":{"name":"a",`+strings.Join(many, ",")+`}}`)
	require.Len(t, strings.Split(got.Header().Get("X-Svc-Ignored-Fields"), ","), 20)
	got = b.post(t, "/v2/test/loose", `{"data":{"name":"a","`+strings.Repeat("é", 300)+`":1}}`)
	require.Empty(t, got.Header().Get("X-Svc-Ignored-Fields"), "longer than a kibibyte when encoded")
}

func TestEveryErrorStatus(t *testing.T) {
	codes := map[string]int{
		"INVALID_ARGUMENT": 400, "FAILED_PRECONDITION": 400, "UNAUTHENTICATED": 401, "PERMISSION_DENIED": 403,
		"NOT_FOUND": 404, "ALREADY_EXISTS": 409, "ABORTED": 409, "RESOURCE_EXHAUSTED": 429, "INTERNAL": 500,
		"UNAVAILABLE": 503, "DEADLINE_EXCEEDED": 504,
	}
	for status, code := range codes {
		b := newBench(t)
		got := b.post(t, "/v2/test/fail", `{"data":{"with":"`+status+`"}}`)
		require.Equal(t, code, got.Code, status)
		require.EqualValues(t, status, got.Error.Status)
		require.NotEmpty(t, got.Error.Message)
		require.Equal(t, reason(fault.From(failures[status]).ReasonOrDefault()), got.Error.Details.Reason)
		require.Equal(t, status == "UNAVAILABLE", got.Header().Get("Retry-After") != "", status)
		for _, secret := range []string{"hunter2", "db.internal"} {
			require.NotContains(t, got.Body.String(), secret)
		}
		require.Contains(t, b.log.String(), `"status":"`+status+`"`)
	}
}

func TestUnexpectedErrorsAreLoggedOnceWithTheRequestID(t *testing.T) {
	b := newBench(t)
	got := b.post(t, "/v2/test/fail", `{"data":{"with":"panic"}}`, "X-Request-Id", "req-77")
	require.Equal(t, http.StatusInternalServerError, got.Code)
	require.NotContains(t, got.Body.String(), "secret detail")
	lines := strings.Split(strings.TrimSpace(b.log.String()), "\n")
	require.Len(t, lines, 1)
	var line map[string]any
	require.NoError(t, json.Unmarshal([]byte(lines[0]), &line))
	require.Equal(t, "req-77", line["request_id"])
	require.Equal(t, "ERROR", line["level"])
	require.Contains(t, line["error"], "secret detail")
	require.Equal(t, "/v2/test/fail", line["operation"])
	require.InDelta(t, 500, line["http_status"], 0)
	require.Equal(t, "192.0.2.7", line["client_ip"])
}

func TestCredentials(t *testing.T) {
	b := newBench(t)
	body := `{"data":{"name":"a"}}`
	key := []string{"X-Svc-Api-Key", "ak_1", "X-Svc-Auth-Token", "good-ak_1"}
	owner := []string{"X-Svc-Workspace-Id", "ws_9", "X-Svc-Workspace-Auth-Token", "good-ws_9"}
	got := b.post(t, "/v2/test/keyed", body, key...)
	require.Equal(t, http.StatusOK, got.Code, got.Body)
	require.Contains(t, string(got.Result), `"WorkspaceID":"ws_1","APIKeyID":"ak_1","IP":"192.0.2.7"`)
	got = b.post(t, "/v2/test/owned", body, owner...)
	require.Contains(t, string(got.Result), `"WorkspaceID":"ws_9","APIKeyID":""`)
	require.Equal(t, http.StatusOK, b.post(t, "/v2/test/keyed", body, append(owner, key...)...).Code)
	inTheOtherHeader := []string{"X-Svc-Workspace-Id", "ws_9", "X-Svc-Auth-Token", "good-ws_9", "X-Svc-Api-Key", "ak_1"}
	require.Equal(t, http.StatusOK, b.post(t, "/v2/test/owned", body, inTheOtherHeader...).Code)
	inTheOtherHeader[3] = "good-ak_1"
	require.Equal(t, http.StatusUnauthorized, b.post(t, "/v2/test/owned", body, inTheOtherHeader...).Code)

	want := b.post(t, "/v2/test/keyed", body).Error
	for _, headers := range [][]string{
		owner,
		{"X-Svc-Api-Key", "ak_1"},
		{"X-Svc-Auth-Token", "good-ak_1"},
		{"X-Svc-Api-Key", "ak_2", "X-Svc-Auth-Token", "good-ak_1"},
		{"X-Svc-Api-Key", "ak_1", "X-Svc-Auth-Token", "GOOD-ak_1"},
	} {
		got := b.post(t, "/v2/test/keyed", body, headers...)
		require.Equal(t, http.StatusUnauthorized, got.Code)
		require.Equal(t, want, got.Error, "one and the same answer")
	}
	require.Equal(t, http.StatusUnauthorized, b.post(t, "/v2/test/owned", body, key...).Code)
	got = b.post(t, "/v2/test/keyed", body, "X-Svc-Api-Key", "ak_suspended", "X-Svc-Auth-Token", "x")
	require.Equal(t, http.StatusForbidden, got.Code)
	got = b.post(t, "/v2/test/keyed", body, "X-Svc-Api-Key", "ak_away", "X-Svc-Auth-Token", "x")
	require.Equal(t, http.StatusServiceUnavailable, got.Code)
	require.Equal(t, "1", got.Header().Get("Retry-After"))
}

func TestOrderOfChecks(t *testing.T) {
	b := newBench(t)
	require.Equal(t, http.StatusNotFound, b.post(t, "/v2/test/nothing", `{`).Code, "path before all")
	require.Equal(t, http.StatusUnauthorized, b.post(t, "/v2/test/keyed", `{`, "Content-Type", "text/plain").Code, "credentials before the body")
	b.limiter.refuse["ak_1"] = true
	key := []string{"X-Svc-Api-Key", "ak_1", "X-Svc-Auth-Token", "good-ak_1", "Content-Type", "text/plain"}
	require.Equal(t, http.StatusTooManyRequests, b.post(t, "/v2/test/keyed", `{`, key...).Code, "rate before the body")
	b.limiter.refuse["ak_1"] = false
	got := b.post(t, "/v2/test/small", strings.Repeat("x", 65), "Content-Type", "text/plain")
	require.Equal(t, http.StatusBadRequest, got.Code, "content type before size")
	require.Equal(t, http.StatusRequestEntityTooLarge, b.post(t, "/v2/test/small", strings.Repeat("x", 65)).Code, "size before JSON")
}

func TestRateLimits(t *testing.T) {
	b := newBench(t)
	body := `{"data":{"name":"a"}}`
	key := []string{"X-Svc-Api-Key", "ak_1", "X-Svc-Auth-Token", "good-ak_1"}
	b.post(t, "/v2/test/keyed", body, key...)
	b.post(t, "/v2/test/owned", body, "X-Svc-Workspace-Id", "ws_9", "X-Svc-Workspace-Auth-Token", "good-ws_9")
	b.post(t, "/v2/test/loose", body)
	b.post(t, "/v2/test/keyed", body)
	require.Equal(t, []string{"key/ak_1/ws_1", "workspace/ws_9/ws_9", "ip/192.0.2.7/", "ip/192.0.2.7/"}, b.limiter.asked)

	b.limiter.refuse["192.0.2.7"] = true
	require.Equal(t, http.StatusOK, b.post(t, "/v2/test/keyed", body, key...).Code, "failures from an address do not block valid calls from it")
	got := b.post(t, "/v2/test/keyed", body)
	require.Equal(t, http.StatusTooManyRequests, got.Code)
	require.Equal(t, "2", got.Header().Get("Retry-After"), "rounded up")
}

func TestContentType(t *testing.T) {
	b := newBench(t)
	body := `{"data":{"name":"a"}}`
	for declared, code := range map[string]int{
		"": 200, "application/json": 200, "Application/JSON; charset=utf-8": 200, "application/vnd.x+json": 200,
		"text/plain": 400, "application/x-www-form-urlencoded": 400, "json": 400, ";": 400,
	} {
		require.Equal(t, code, b.post(t, "/v2/test/loose", body, "Content-Type", declared).Code, declared)
	}
}

func TestBodyLimit(t *testing.T) {
	b := newBench(t)
	fits := func(n int) string { return `{"data":{"name":"a"}` + strings.Repeat(" ", n-21) + `}` }
	require.Equal(t, http.StatusOK, b.post(t, "/v2/test/loose", fits(DefaultBodyLimit)).Code)
	got := b.post(t, "/v2/test/loose", fits(DefaultBodyLimit+1))
	require.Equal(t, http.StatusRequestEntityTooLarge, got.Code)
	require.Equal(t, fault.StatusInvalidArgument, got.Error.Status)
	require.Equal(t, "close", got.Header().Get("Connection"))

	r := httptest.NewRequest(http.MethodPost, "/v2/test/small", io.MultiReader(strings.NewReader(fits(65))))
	r.ContentLength = -1
	w := httptest.NewRecorder()
	b.ServeHTTP(w, r)
	require.Equal(t, http.StatusRequestEntityTooLarge, w.Code, "without a declared length")
}

func TestRequestID(t *testing.T) {
	b := newBench(t)
	for sent, kept := range map[string]bool{
		"A-z_0.9": true, strings.Repeat("a", 64): true, strings.Repeat("a", 65): false, "a b": false, "é": false, "a\tb": false, "": false,
	} {
		got := b.post(t, "/v2/test/loose", `{}`, "X-Request-Id", sent).Header().Get("X-Request-Id")
		require.Equal(t, kept, got == sent, sent)
	}
}

func TestRawData(t *testing.T) {
	b := newBench(t)
	got := b.post(t, "/v2/test/raw", `{"data": {"x" :1e400, "x":2} }`)
	require.Equal(t, http.StatusOK, got.Code, got.Body)
	require.Equal(t, `{"x":1e400,"x":2}`, string(got.Result))
	require.Equal(t, http.StatusBadRequest, b.post(t, "/v2/test/raw", `{"data":[]}`).Code)
}

func TestUnknownPathsAndMethods(t *testing.T) {
	b := newBench(t)
	for _, try := range [][2]string{
		{"GET", "/v2/test/loose"},
		{"PUT", "/v2/test/loose"},
		{"OPTIONS", "/v2/test/loose"},
		{"HEAD", "/v2/test/loose"},
		{"POST", "/v2/test/loose/"},
		{"POST", "/v2//test/loose"},
		{"POST", "/V2/test/loose"},
		{"GET", "/"},
		{"GET", "/healthz"},
		{"GET", "/metrics"},
		{"POST", "/v2/openapi.json"},
	} {
		r := httptest.NewRequest(try[0], try[1], nil)
		w := httptest.NewRecorder()
		b.ServeHTTP(w, r)
		require.Equal(t, http.StatusNotFound, w.Code, try)
		require.Contains(t, w.Body.String(), `"status":"NOT_FOUND"`, try)
	}
}

func TestClientAddress(t *testing.T) {
	proxies := []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24"), netip.MustParsePrefix("10.0.0.0/8")}
	cases := []struct {
		peer, forwarded, want string
		trusted               []netip.Prefix
	}{
		{"192.0.2.7:1", "203.0.113.1", "192.0.2.7", nil},
		{"192.0.2.7:1", "203.0.113.1", "203.0.113.1", proxies},
		{"192.0.2.7:1", "198.51.100.9, 203.0.113.1, 10.1.1.1", "203.0.113.1", proxies},
		{"198.51.100.1:1", "203.0.113.1", "198.51.100.1", proxies},
		{"192.0.2.7:1", "", "192.0.2.7", proxies},
		{"192.0.2.7:1", "203.0.113.1, rubbish", "192.0.2.7", proxies},
		{"192.0.2.7:1", "10.0.0.1", "10.0.0.1", proxies},
		{"[::ffff:192.0.2.7]:1", "2001:db8::1", "2001:db8::1", proxies},
		{"[fe80::1%eth0]:1", "", "fe80::1", nil},
		{"192.0.2.7:1", "203.0.113.1:50123", "203.0.113.1", proxies},
		{"192.0.2.7:1", "198.51.100.9, 203.0.113.1:50123, 10.1.1.1:443", "203.0.113.1", proxies},
		{"192.0.2.7:1", "[2001:db8::1]:50123", "2001:db8::1", proxies},
		{"192.0.2.7:1", "[2001:db8::1]", "2001:db8::1", proxies},
	}
	for _, c := range cases {
		r := httptest.NewRequest(http.MethodPost, "/", nil)
		r.RemoteAddr = c.peer
		r.Header.Set("X-Forwarded-For", c.forwarded)
		require.Equal(t, c.want, clientIP(r, c.trusted), "%+v", c)
	}
}

func TestCallerOutsideOfAnOperation(t *testing.T) {
	require.Equal(t, workspace.Caller{}, CallerFrom(t.Context()))
	SetHeader(t.Context(), "x", "y") // does nothing, rather than panic
}

func BenchmarkOperation(b *testing.B) {
	// Writing the lines is measured too.
	lines := slog.NewJSONHandler(io.Discard, nil)
	server := newBench(b, func(o *Options) { o.Log = slog.New(lines) })
	body := `{"data":{"name":"ann","from":1,"to":2,"free":{"draftUrl":"https://example.com/a","title":"b"}}}`
	b.ReportAllocs()
	for b.Loop() {
		r := httptest.NewRequest(http.MethodPost, "/v2/test/keyed", strings.NewReader(body))
		r.Header.Set("X-Svc-Api-Key", "ak_1")
		r.Header.Set("X-Svc-Auth-Token", "good-ak_1")
		w := httptest.NewRecorder()
		server.ServeHTTP(w, r)
		server.limiter.asked = nil
		if w.Code != http.StatusOK {
			b.Fatal(w.Body)
		}
	}
}
