package attackers

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/redline-svc/redline/bench/measure"
	"github.com/redline-svc/redline/tests/kit/client"
)

const (
	// wanting users want every comment, set for wantingAtOnce in a call; addCallers add threads, each of threadOf
	// flagged comments, threads in a call.
	wanting, wantingAtOnce        = 5000, 100
	addCallers, threads, threadOf = 4, 10, 100
	// addGoal is milliseconds of an add of another workspace.
	addGoal = 100
	// holes are endpoints that hang, holding flagged annotations are told to each in two messages: 10,000 deliveries.
	holes, holding = 50, 100
	// firstGoal is milliseconds until a first attempt of another workspace.
	firstGoal = 2000
)

// flagged is an annotation of so many comments that all are to be told of.
func flagged(id string, comments int) map[string]any {
	all := make([]any, comments)
	for i := range all {
		all[i] = map[string]any{"commentText": "Which year is this?", "from": map[string]any{"userId": "ann"}, "triggerNotification": true}
	}
	thread := map[string]any{"commentData": all}
	if id != "" {
		thread["annotationId"] = id
	}
	return thread
}

func add(ctx context.Context, w *client.Workspace, annotations ...any) error {
	return call(ctx, w, client.AddAnnotations, map[string]any{"organizationId": "acme", "documentId": "d", "commentAnnotations": annotations})
}

// addAll adds annotations to the document of a workspace, one after the other.
func addAll(ctx context.Context, w *client.Workspace, prefix string) ([]time.Duration, error) {
	took := make([]time.Duration, reads)
	for i := range took {
		began := time.Now()
		if err := add(ctx, w, flagged(fmt.Sprint(prefix, i), 1)); err != nil {
			return nil, err
		}
		took[i] = time.Since(began)
		time.Sleep(max(0, readPause-took[i]))
	}
	return took, nil
}

// everyComment has one workspace add flagged comments that thousands of users want, and another one add.
func everyComment(ctx context.Context, s Service) ([]measure.Row, error) {
	attacker, other, err := s.workspaces(ctx)
	if err != nil {
		return nil, err
	}
	for from := 0; from < wanting; from += wantingAtOnce {
		users := make([]string, wantingAtOnce)
		for i := range users {
			users[i] = fmt.Sprint("user-", from+i)
		}
		if err := call(ctx, attacker, client.SetPreferences, map[string]any{"organizationId": "acme", "userIds": users, "config": map[string]any{"inbox": "ALL"}}); err != nil {
			return nil, err
		}
	}
	alone, err := addAll(ctx, other, "alone-")
	if err != nil {
		return nil, err
	}
	many := make([]any, threads)
	for i := range many {
		many[i] = flagged("", threadOf)
	}
	var together []time.Duration
	above, err := s.peak(ctx, func() error {
		return beside(ctx, addCallers, func(ctx context.Context, _ int) { _ = add(ctx, attacker, many...) }, func() (err error) {
			together, err = addAll(ctx, other, "beside-")
			return err
		})
	})
	return []measure.Row{
		measure.Below(addGoal, measure.Row{
			Name: "adds beside adds of 1,000 flagged comments that 5,000 users want, p95", Unit: "ms",
			Measured: measure.Percentile(together, 95), What: "alone", Against: measure.Percentile(alone, 95),
		}),
		measure.Below(memoryGoal, measure.Row{Name: "memory above before beside them", Unit: "MiB", Measured: above}),
	}, err
}

// hole takes connections and never reads.
func hole(ctx context.Context) (net.Listener, error) {
	return new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
}

// hooked switches webhooks on and makes an endpoint for new annotations at each address.
func hooked(ctx context.Context, w *client.Workspace, addresses ...string) error {
	if err := call(ctx, w, client.SetHooks, map[string]any{"isEnabled": true}); err != nil {
		return err
	}
	for _, address := range addresses {
		if err := call(ctx, w, client.CreateEndpoint, map[string]any{"url": "http://" + address + "/hook"}); err != nil {
			return err
		}
	}
	return nil
}

// arrivals are when annotations were first told of.
type arrivals struct {
	mu sync.Mutex
	at map[string]time.Time
}

// ServeHTTP notes the annotation of a message.
func (a *arrivals) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	var message struct {
		Data struct {
			CommentAnnotation struct {
				AnnotationID string `json:"annotationId"`
			} `json:"commentAnnotation"`
		} `json:"data"`
	}
	if json.NewDecoder(r.Body).Decode(&message) != nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if id := message.Data.CommentAnnotation.AnnotationID; a.at[id].IsZero() {
		a.at[id] = time.Now()
	}
}

// all waits until these many have come and returns how long each took since it was begun.
func (a *arrivals) all(ctx context.Context, begun map[string]time.Time) (took []time.Duration, err error) {
	err = measure.Until(ctx, func() (bool, error) {
		a.mu.Lock()
		defer a.mu.Unlock()
		return len(a.at) >= len(begun), nil
	})
	a.mu.Lock()
	defer a.mu.Unlock()
	for id, at := range begun {
		took = append(took, a.at[id].Sub(at))
	}
	return took, err
}

// hanging has deliveries of one workspace wait at endpoints that hang, and looks at the first attempts of another.
func hanging(ctx context.Context, s Service) ([]measure.Row, error) {
	attacker, other, err := s.workspaces(ctx)
	if err != nil {
		return nil, err
	}
	var addresses []string
	for range holes {
		taken, err := hole(ctx)
		if err != nil {
			return nil, err
		}
		defer func() { _ = taken.Close() }()
		addresses = append(addresses, taken.Addr().String())
	}
	healthy, err := hole(ctx)
	if err != nil {
		return nil, err
	}
	came := &arrivals{at: map[string]time.Time{}}
	server := &http.Server{Handler: came, ReadHeaderTimeout: measure.Limit}
	defer func() { _ = server.Close() }()
	go func() { _ = server.Serve(healthy) }()
	if err := hooked(ctx, other, healthy.Addr().String()); err != nil {
		return nil, err
	}
	if err := hooked(ctx, attacker, addresses...); err != nil {
		return nil, err
	}
	many := make([]any, holding)
	for i := range many {
		many[i] = flagged("", 1)
	}
	if err := add(ctx, attacker, many...); err != nil {
		return nil, err
	}
	begun := map[string]time.Time{}
	for i := range reads {
		id := fmt.Sprint("told-", i)
		begun[id] = time.Now()
		if err := add(ctx, other, flagged(id, 1)); err != nil {
			return nil, err
		}
		time.Sleep(readPause)
	}
	took, err := came.all(ctx, begun)
	return []measure.Row{measure.Below(firstGoal, measure.Row{
		Name: "first attempts beside 10,000 deliveries to 50 endpoints that hang, p95", Unit: "ms", Measured: measure.Percentile(took, 95),
	})}, err
}
