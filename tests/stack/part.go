package stack

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"
)

// partLimit is how long stopping and starting one part may take.
const partLimit = 2 * time.Minute

// Part does one thing to a part of the stack (postgres, temporal, weaviate,
// temporal-ui) and returns when it is done: stop, kill, start, restart, or, for
// temporal, empty (a fresh engine database). Everybody who uses the stack feels
// it, so only stories with a stack of their own may call it.
func (s *Stack) Part(ctx context.Context, part, action string) error {
	ctx, cancel := context.WithTimeout(ctx, partLimit)
	defer cancel()
	address := s.Env["REDLINE_DEV_PARTS_URL"] + "/" + part + "/" + action
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, nil)
	if err != nil {
		return err
	}
	request.Header.Set("x-redline-dev", "1")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode >= http.StatusMultipleChoices {
		text, _ := io.ReadAll(io.LimitReader(answer.Body, 4096))
		return fmt.Errorf("%s %s: %d %s", action, part, answer.StatusCode, text)
	}
	return nil
}
