package client

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"time"

	redline "github.com/redline-svc/redline/clients/go"
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

// API returns the published client with the session's address and headers. It makes each call
// once, so that a test sees every refusal. Error: the address is none.
func (s *Session) API() (*redline.Client, error) {
	options := []redline.Option{
		redline.WithBaseURL(s.BaseURL), redline.WithHTTPClient(s.HTTP), redline.WithTimeout(requestLimit), redline.WithRetries(0),
		redline.WithAPIKey("", ""), redline.WithWorkspace("", ""),
	}
	for name, value := range s.Headers {
		options = append(options, redline.WithHeader(name, value))
	}
	return redline.New(options...)
}

// Call sends one operation, its name being the path after /v2/, and decodes the
// result. A refusal is a *redline.Error, any other error means that no answer came.
func Call[T any](ctx context.Context, s *Session, operation string, data any) (result T, err error) {
	api, err := s.API()
	if err != nil {
		return result, err
	}
	var text json.RawMessage
	if err = api.Call(ctx, "/v2/"+operation, data, &text); err == nil {
		err = json.Unmarshal(text, &result)
	}
	return result, err
}

// Given returns a text as an optional field has it: one that is empty is not sent.
func Given(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// Send posts the bytes as they are: what the published client never would. The path is whole
// ("/v2/..."); header may replace the content type and the credentials. An error means that no answer came.
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

// Failure reads an answer as an error of the envelope; nil when it is a success.
func (r *Reply) Failure() *redline.Error {
	if r.HTTP == http.StatusOK {
		return nil
	}
	return redline.ErrorOf(r.HTTP, r.Header, r.Body)
}
