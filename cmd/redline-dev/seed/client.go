package seed

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// callLimit bounds one call.
const callLimit = 30 * time.Second

// client calls operations of the interface.
type client struct {
	base    string
	headers map[string]string
}

// refusal is an answer with an error.
type refusal struct {
	path    string
	Status  string `json:"status"`
	Message string `json:"message"`
}

// Error names the operation, the status and the text.
func (r *refusal) Error() string { return fmt.Sprintf("%s: %s: %s", r.path, r.Status, r.Message) }

// refused reports whether the error is an answer with this status.
func refused(err error, status string) bool {
	var r *refusal
	return errors.As(err, &r) && r.Status == status
}

// call sends {"data": data} and decodes what stands in result.
func (c client) call(ctx context.Context, path string, data, result any) error {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	body, err := json.Marshal(map[string]any{"data": data})
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("content-type", "application/json")
	for name, value := range c.headers {
		request.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	answer := struct {
		Result json.RawMessage `json:"result"`
		Error  *refusal        `json:"error"`
	}{}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		return fmt.Errorf("%s: %s: %w", path, response.Status, err)
	}
	if answer.Error != nil {
		answer.Error.path = path
		return answer.Error
	}
	return json.Unmarshal(answer.Result, result)
}
