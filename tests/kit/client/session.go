package client

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"
)

// requestLimit is longer than any answer may take (30 s), so that a test sees
// the server's own timeout and not the client's.
const requestLimit = 60 * time.Second

// Session is one base address (no slash at the end) with one set of headers.
type Session struct {
	BaseURL string
	Headers map[string]string
	HTTP    *http.Client
}

// Reply is an answer as it came.
type Reply struct {
	HTTP   int
	Header http.Header
	Body   []byte
}

// Around wraps the transport of every session made after it was set, so that it can look at
// all calls of a run.
var Around = func(inner http.RoundTripper) http.RoundTripper { return inner }

// Public returns a session without credentials.
func Public(baseURL string) *Session {
	return &Session{BaseURL: baseURL, HTTP: &http.Client{Timeout: requestLimit, Transport: Around(transport())}}
}

// transport keeps enough idle connections for the widest burst of a test.
func transport() *http.Transport {
	base, _ := http.DefaultTransport.(*http.Transport)
	own := base.Clone()
	own.Proxy = nil
	own.MaxIdleConns, own.MaxIdleConnsPerHost = 0, 256
	return own
}

// With returns a session to the same address with these headers instead.
func (s *Session) With(headers map[string]string) *Session {
	return &Session{BaseURL: s.BaseURL, Headers: headers, HTTP: s.HTTP}
}

// At returns a session of the same caller to another process.
func (s *Session) At(baseURL string) *Session {
	return &Session{BaseURL: baseURL, Headers: s.Headers, HTTP: s.HTTP}
}

// Send posts the bytes as they are. The path is whole ("/v2/..."); header may
// replace the content type and the credentials. An error means that no answer came.
func (s *Session) Send(ctx context.Context, path string, body []byte, header map[string]string) (*Reply, error) {
	return s.Do(ctx, http.MethodPost, path, bytes.NewReader(body), header)
}

// Do is Send with another method and a body that is read as it is sent.
func (s *Session) Do(ctx context.Context, method, path string, body io.Reader, header map[string]string) (*Reply, error) {
	request, err := http.NewRequestWithContext(ctx, method, s.BaseURL+path, body)
	if err != nil {
		return nil, err
	}
	request.Header.Set("content-type", "application/json")
	for name, value := range s.Headers {
		request.Header.Set(name, value)
	}
	for name, value := range header {
		request.Header.Set(name, value)
	}
	answer, err := s.HTTP.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	return &Reply{HTTP: answer.StatusCode, Header: answer.Header, Body: text}, err
}

// Call sends one operation, its name being the path after /v2/, and decodes the
// result. A refusal is a *Failure, any other error means that no answer came.
func Call[T any](ctx context.Context, s *Session, operation string, data any) (T, error) {
	var result T
	reply, err := s.operation(ctx, operation, data)
	if err != nil {
		return result, err
	}
	if reply.HTTP != http.StatusOK {
		return result, failure(reply)
	}
	envelope := struct {
		Result *T `json:"result"`
	}{Result: &result}
	if err := json.Unmarshal(reply.Body, &envelope); err != nil {
		return result, fmt.Errorf("%s: result: %w in %s", operation, err, reply.Body)
	}
	return result, nil
}

func (s *Session) operation(ctx context.Context, operation string, data any) (*Reply, error) {
	body, err := json.Marshal(map[string]any{"data": data})
	if err != nil {
		return nil, err
	}
	return s.Send(ctx, "/v2/"+operation, body, nil)
}
