package pages

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"sync"
	"time"

	"github.com/redline-svc/redline/bench/measure"
	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit/client"
)

// Side is a console with a workspace.
type Side struct {
	// Console is the base address of the pages, PID the process that serves them.
	Console   string
	PID       int
	Workspace *client.Workspace
	// Paths are the addresses of its pages.
	Paths []string
}

func (s Side) decide(ctx context.Context, execution, step, reason string) error {
	_, err := s.Workspace.Decide(ctx, redline.DecideStepRequest{
		ExecutionID: execution, StepID: step, ReviewerID: "ann", Decision: redline.DecideStepRequestDecisionApprove, Reason: &reason,
	})
	return err
}

const (
	// open is how many pages are open at once, of views many views.
	open, views = 50, 10
	// look is how often a page that is seen is read again, watched for how long.
	look, watched = 2 * time.Second, 40 * time.Second
)

// Live takes the time of the processor that open pages cost above what the process needs without
// them, in parts of one core.
func (s Side) Live(ctx context.Context) ([]measure.Row, error) {
	idle, err := s.spent(ctx, func(ctx context.Context) error {
		<-ctx.Done()
		return nil
	})
	if err != nil {
		return nil, err
	}
	jar, err := s.session(ctx)
	if err != nil {
		return nil, err
	}
	busy, err := s.spent(ctx, func(ctx context.Context) error { return s.readAll(ctx, jar) })
	part := 100 * float64(busy-idle) / float64(watched)
	return []measure.Row{measure.Below(15, measure.Row{Name: "50 open pages of 10 views, part of a core", Unit: "%", Measured: part})}, err
}

// Served takes the time of the processor that the server needs for each page, beside the database; the
// row has the dearest page. name ends what the row is called.
func (s Side) Served(ctx context.Context, name string) ([]measure.Row, error) {
	caller, err := s.session(ctx)
	if err != nil {
		return nil, err
	}
	var blocks []measure.Pair
	dearest, most := "", 0.0
	for _, path := range s.Paths {
		took, err := s.served(ctx, caller, path)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		blocks = append(blocks, measure.Pair{Measured: took})
		if took > most {
			dearest, most = path, took
		}
	}
	return []measure.Row{measure.Below(50, measure.Row{
		Name: "processor time of the server for the dearest page, " + name, Unit: "ms", Measured: most, Blocks: blocks, Note: dearest,
	})}, nil
}

// served reads a page again and again, and returns what one costs in milliseconds.
func (s Side) served(ctx context.Context, caller *http.Client, path string) (float64, error) {
	before, err := measure.Processor(s.PID)
	if err != nil {
		return 0, err
	}
	for range visits {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.Console+path, nil)
		if err != nil {
			return 0, err
		}
		if _, err := read(caller, request); err != nil {
			return 0, err
		}
	}
	after, err := measure.Processor(s.PID)
	return float64(after-before) / visits / float64(time.Millisecond), err
}

// spent is what the process used of the processors while something went on.
func (s Side) spent(ctx context.Context, on func(context.Context) error) (time.Duration, error) {
	before, err := measure.Processor(s.PID)
	if err != nil {
		return 0, err
	}
	during, cancel := context.WithTimeout(ctx, watched)
	defer cancel()
	if err := on(during); err != nil {
		return 0, err
	}
	after, err := measure.Processor(s.PID)
	return after - before, err
}

// readAll reads the live parts of all open pages until the time is over. The pages were opened one
// after the other, so their looks are spread.
func (s Side) readAll(ctx context.Context, caller *http.Client) error {
	var working sync.WaitGroup
	failed := make(chan error, open)
	for i := range open {
		working.Go(func() { failed <- s.readAgain(ctx, caller, s.Paths[i%views], time.Duration(i)*look/open) })
	}
	working.Wait()
	close(failed)
	for err := range failed {
		if err != nil {
			return err
		}
	}
	return nil
}

func (s Side) readAgain(ctx context.Context, caller *http.Client, path string, first time.Duration) error {
	for next := time.After(first); ; next = time.After(look) {
		select {
		case <-ctx.Done():
			return nil
		case <-next:
		}
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.Console+path, nil)
		if err != nil {
			return err
		}
		request.Header.Set("HX-Request", "true")
		if _, err = read(caller, request); err != nil && ctx.Err() == nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
}

// read returns what is answered with 200.
func read(caller *http.Client, request *http.Request) ([]byte, error) {
	answer, err := caller.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("it answered %s", answer.Status)
	}
	return io.ReadAll(answer.Body)
}

// formToken finds the token of a form.
var formToken = regexp.MustCompile(`name="formToken" value="([^"]+)"`)

// session logs in without a browser.
func (s Side) session(ctx context.Context) (*http.Client, error) {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return nil, err
	}
	caller := &http.Client{Jar: jar}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.Console+"/login", nil)
	if err != nil {
		return nil, err
	}
	page, err := read(caller, request)
	if err != nil {
		return nil, err
	}
	found := formToken.FindSubmatch(page)
	if found == nil {
		return nil, fmt.Errorf("no token in %s", page)
	}
	answer, err := caller.PostForm(s.Console+"/login", url.Values{
		"formToken": {string(found[1])}, "key": {s.Workspace.APIKey}, "keyToken": {s.Workspace.AuthToken},
	})
	if err != nil {
		return nil, err
	}
	return caller, answer.Body.Close()
}
