package contract_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit/contract"
)

const document = `{"openapi":"3.1.0","info":{"title":"t","version":"1"},"paths":{"/v2/a/get":{"post":{
"requestBody":{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/Request"}}}},
"responses":{"200":{"content":{"application/json":{"schema":{"type":"object","required":["result"]}}}},
"default":{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/Refusal"}}}}}}},
"/v2/bare":{"post":{"requestBody":{"content":{"application/json":{"schema":{"type":"object"}}}},
"responses":{"200":{"content":{"application/json":{"schema":{"type":"object","required":["ok"]}}}},
"default":{"content":{"application/json":{"schema":{"type":"object","required":["ok","code"]}}}}}}},
"/v2/pages/{token}":{"get":{"responses":{"200":{"content":{"text/html":{"schema":{"type":"string"}}}}}}},
"/v2/pages/{token}":{"get":{"responses":{"200":{"content":{"text/html":{"schema":{"type":"string"}}}}}}},
"/v2/files/{token}":{"get":{"responses":{"200":{"content":{"*/*":{"schema":{"type":"string"}}}}}}}},
"components":{"schemas":{"Refusal":{"type":"object","required":["error"]},"Request":{"type":"object","properties":{"data":{"type":"object","properties":{"size":{"type":"integer"}}}}}}}}`

// answered is a client whose every call is answered so and held against the document.
func answered(t *testing.T, status int, body string) (*contract.Document, func(method, path, sent string) error) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.Method == http.MethodGet && r.URL.Path == "/v2/openapi.json" {
			_, _ = io.WriteString(w, document)
			return
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(server.Close)
	published, err := contract.Fetch(t.Context(), server.URL)
	require.NoError(t, err)
	around := published.Around(server.Client().Transport)
	return published, func(method, path, sent string) error {
		request, err := http.NewRequestWithContext(t.Context(), method, server.URL+path, strings.NewReader(sent))
		require.NoError(t, err)
		answer, err := around.RoundTrip(request)
		if err != nil {
			return err
		}
		text, err := io.ReadAll(answer.Body)
		require.NoError(t, err)
		require.Equal(t, body, string(text), "what was checked is still there to be read")
		return answer.Body.Close()
	}
}

func TestCallsThatAreAsTheDocumentSays(t *testing.T) {
	found, call := answered(t, http.StatusOK, `{"result":{}}`)
	require.NoError(t, call(http.MethodPost, "/v2/a/get", `{"data":{"size":1}}`))
	require.NoError(t, call(http.MethodGet, "/v2/files/x", ``))
	require.NoError(t, found.Mismatches())
	found, call = answered(t, http.StatusOK, `{"result":{"valid":false}}`)
	require.NoError(t, call(http.MethodPost, "/v2/a/get", `{"data":{"size":"judged to be wrong"}}`))
	require.NoError(t, found.Mismatches())
	found, call = answered(t, http.StatusBadRequest, `{"error":{}}`)
	require.NoError(t, call(http.MethodPost, "/v2/a/get", `{"data":{"size":"wrong on purpose"}}`))
	require.NoError(t, call(http.MethodPost, "/v2/a/nothing", `{}`))
	require.NoError(t, found.Mismatches())
	found, call = answered(t, http.StatusUnauthorized, `{"ok":false,"code":"unauthenticated"}`)
	require.NoError(t, call(http.MethodPost, "/v2/bare", `[]`))
	require.NoError(t, found.Mismatches())
	found, call = answered(t, http.StatusNotFound, `a page`)
	require.NoError(t, call(http.MethodGet, "/v2/pages/x", ``))
	require.NoError(t, found.Mismatches())
}

// What fitted once is known again, and by nothing but the schema that it fitted.
func TestWhatFitsOneOperationIsHeldAgainstAnother(t *testing.T) {
	found, call := answered(t, http.StatusOK, `{"result":{}}`)
	for range 2 {
		require.NoError(t, call(http.MethodPost, "/v2/a/get", `{"data":{}}`))
	}
	require.NoError(t, found.Mismatches())
	for range 2 {
		require.Error(t, call(http.MethodPost, "/v2/bare", `{"data":{}}`))
	}
}

func TestMismatchesNameOperationPlaceAndRule(t *testing.T) {
	for name, c := range map[string]struct {
		status             int
		answer, path, sent string
		says               []string
	}{
		"a result":                {http.StatusOK, `{"answer":{}}`, "/v2/a/get", `{"data":{}}`, []string{"POST /v2/a/get", "the answer 200", "missing property 'result'"}},
		"a refusal":               {http.StatusConflict, `{"result":{}}`, "/v2/a/get", `{"data":{}}`, []string{"the answer 409", "missing property 'error'"}},
		"a bare refusal":          {http.StatusUnauthorized, `{"error":{}}`, "/v2/bare", `{}`, []string{"the answer 401", "missing properties 'ok', 'code'"}},
		"a bare request":          {http.StatusOK, `{"ok":true}`, "/v2/bare", `[]`, []string{"the service took", "got array, want object"}},
		"another success":         {http.StatusCreated, `{"result":{}}`, "/v2/a/get", `{"data":{}}`, []string{"the answer 201"}},
		"no operation":            {http.StatusNotFound, `{"result":{}}`, "/v2/a/nothing", ``, []string{"POST /v2/a/nothing", "the answer 404"}},
		"a request that is right": {http.StatusOK, `{"result":{"valid":true}}`, "/v2/a/get", `{"data":{"size":"x"}}`, []string{"the service took"}},
		"a request that is taken": {http.StatusOK, `{"result":{}}`, "/v2/a/get", `{"data":{"size":"x"}}`, []string{"the service took", "'/data/size'", "got string, want integer"}},
	} {
		t.Run(name, func(t *testing.T) {
			found, call := answered(t, c.status, c.answer)
			err := call(http.MethodPost, c.path, c.sent)
			require.Error(t, err)
			require.ErrorIs(t, found.Mismatches(), err, "it is kept for the end of the run")
			for _, part := range c.says {
				require.ErrorContains(t, err, part)
			}
		})
	}
}
