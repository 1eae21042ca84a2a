package redline

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"time"
)

// operation is what a call needs to know beside its shapes, as the document says it.
type operation struct {
	path string
	// workspace means that it is called with the workspace's credentials, not a key's.
	workspace bool
	// safe means that a second call changes nothing more; where it does, ids are made before the
	// first, so that it does not.
	safe bool
	ids  []idField
}

// CallOption changes one call.
type CallOption func(*sent)

// Null sends null for a field of the request, dotted into its objects: where the operation says
// that null clears, what is set is cleared.
func Null(field string) CallOption {
	return func(s *sent) { s.nulls = append(s.nulls, field) }
}

// Header keeps the headers of the answer in into, also of one that refuses: of the last try, and of
// an iterator the last page.
func Header(into *http.Header) CallOption {
	return func(s *sent) { s.header = into }
}

// sent is what a call sends, with whether it may be sent again after its answer was lost.
type sent struct {
	operation *operation
	data      object
	nulls     []string
	// header is where those of the answer are kept, nil where nobody asks for them.
	header *http.Header
	// repeatable is the operation's safe, or that all ids were sent; made, that all of these were made here.
	repeatable, made bool
	// lost means that a try ended without an answer, so it may have had its effect.
	lost bool
}

// Call makes any call: path is whole ("/v2/users/get"), in is sent as data and the result is read
// into out, unless it is nil. It is called with the key's credentials, and made again only where it was refused for now.
func (c *Client) Call(ctx context.Context, path string, in, out any) error {
	result, err := c.send(ctx, &operation{path: path}, in, nil)
	if err != nil || out == nil {
		return err
	}
	return read(result, out)
}

// read keeps numbers as they are written where out has no type for them: they are json.Number.
func read(text json.RawMessage, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	return decoder.Decode(into)
}

// call makes the call of one method.
func call[T any](ctx context.Context, c *Client, o *operation, in any, options []CallOption) (T, error) {
	var result T
	text, err := c.send(ctx, o, in, options)
	if err == nil {
		err = read(text, &result)
	}
	return result, err
}

// send makes a call with its tries, and returns the result as it came.
func (c *Client) send(ctx context.Context, o *operation, in any, options []CallOption) (json.RawMessage, error) {
	data, err := objectOf(in)
	if err != nil {
		return nil, err
	}
	s := &sent{operation: o, data: data}
	for _, option := range options {
		option(s)
	}
	if err := s.prepare(); err != nil {
		return nil, err
	}
	body, err := json.Marshal(map[string]any{"data": s.data})
	if err != nil {
		return nil, err
	}
	for try := 0; ; try++ {
		result, err := c.try(ctx, s, body)
		if err == nil {
			return result, nil
		}
		if known, is := s.committed(err); is {
			return known, nil
		}
		wait, again := s.again(err, c.pause(try))
		if !again || try >= c.retries || ctx.Err() != nil {
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(wait):
		}
	}
}

// again reports whether a call that failed may be made again, and after how long. Refused by a
// limit, it changed nothing. Otherwise it may have had its effect, also when it was answered that
// a part of the service is away.
func (s *sent) again(err error, pause time.Duration) (time.Duration, bool) {
	refused := AsError(err)
	if refused == nil || refused.HTTPStatus >= http.StatusInternalServerError {
		s.lost = true
	}
	switch {
	case refused == nil:
		return pause, s.repeatable
	case refused.HTTPStatus == http.StatusTooManyRequests:
		return max(refused.RetryAfter, pause), refused.RetryAfter > 0
	case refused.HTTPStatus >= http.StatusBadGateway:
		return max(refused.RetryAfter, pause), s.repeatable
	default:
		return 0, false
	}
}

// pause is a random time that grows with the tries: up to 0.25 s, 0.5 s, 1 s and so on to 8 s
// ("full jitter", so that callers who were refused together do not come back together).
func pause(try int) time.Duration {
	const first, longest = 250 * time.Millisecond, 8 * time.Second
	return rand.N(min(first<<min(try, 10), longest))
}

// try makes one call and returns its result, an *Error where it was refused.
func (c *Client) try(ctx context.Context, s *sent, body []byte) (json.RawMessage, error) {
	o := s.operation
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.baseURL+o.path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	credentials := c.key
	if o.workspace {
		credentials = c.workspace
	}
	for name, value := range credentials {
		if value != "" {
			request.Header.Set(name, value)
		}
	}
	for name, value := range c.header {
		request.Header.Set(name, value)
	}
	answer, err := c.do(request)
	if err != nil {
		return nil, fmt.Errorf("redline: %s: %w", o.path, err)
	}
	if s.header != nil {
		*s.header = answer.header
	}
	if answer.status != http.StatusOK {
		return nil, ErrorOf(answer.status, answer.header, answer.body)
	}
	var envelope struct {
		Result json.RawMessage `json:"result"`
	}
	if err := json.Unmarshal(answer.body, &envelope); err != nil || envelope.Result == nil {
		return nil, ErrorOf(answer.status, answer.header, nil)
	}
	return envelope.Result, nil
}

// reply is an answer as it came.
type reply struct {
	status int
	header http.Header
	body   []byte
}

func (c *Client) do(request *http.Request) (reply, error) {
	answer, err := c.http.Do(request)
	if err != nil {
		return reply{}, err
	}
	body, err := io.ReadAll(answer.Body)
	_ = answer.Body.Close() // it was read to its end, or the error says why not
	return reply{answer.StatusCode, answer.Header, body}, err
}
