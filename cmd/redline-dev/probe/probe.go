package probe

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"
)

const (
	// pause is how often a starting server is asked.
	pause = 50 * time.Millisecond
	// patience bounds one question.
	patience = 2 * time.Second
)

// Until repeats the question until it is answered or the context ends; the
// last refusal is part of the error.
func Until(ctx context.Context, ask func(context.Context) error) error {
	for {
		bounded, cancel := context.WithTimeout(ctx, patience)
		err := ask(bounded)
		cancel()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return errors.Join(ctx.Err(), err)
		case <-time.After(pause):
		}
	}
}

// Answers waits until a GET of the address is answered with 200.
func Answers(ctx context.Context, address string) error {
	return Until(ctx, func(ctx context.Context) error {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
		if err != nil {
			return err
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return err
		}
		if err := response.Body.Close(); err != nil {
			return err
		}
		if response.StatusCode != http.StatusOK {
			return fmt.Errorf("%s answers %s", address, response.Status)
		}
		return nil
	})
}
