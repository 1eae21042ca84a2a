package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/redline-svc/redline/bench/measure"
	"github.com/redline-svc/redline/bench/receiving"
	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/receiver"
)

const (
	// hangingWorkspaces share the endpoints that hang, manyWaiting is what waits for
	// these in all.
	hangingWorkspaces = 3
	manyWaiting       = 10_000
	// besideSpan begins with the process: the first attempts at all of them are in it.
	besideSpan = time.Minute
	// besideRate and mailRate are changes a second; a workspace sends ten mails a
	// second at most.
	besideRate, mailRate = 10, 2
	// besideGoal is within what a healthy receiver has its first attempts at p95.
	besideGoal = 2000
)

// benchHanging measures the first attempts at what is healthy in the first minute of
// a process that finds 10,000 deliveries for endpoints which never answer: an
// endpoint beside 100 of them in its own and two other workspaces, then a receiver
// and a mail host of a fourth workspace beside 300.
func benchHanging(ctx context.Context, r *rig) ([]measure.Row, error) {
	var rows []measure.Row
	for _, c := range []struct {
		hanging int
		measure func(context.Context, *hooked) ([]measure.Row, error)
	}{{100, r.endpointBeside}, {300, r.fourthBeside}} {
		if err := r.quiet(ctx); err != nil {
			return rows, err
		}
		found, err := r.beside(ctx, c.hanging, c.measure)
		rows = append(rows, found...)
		if err != nil {
			return rows, err
		}
	}
	return rows, nil
}

// beside makes the endpoints that hang while no worker runs, starts the service
// again and measures; fn gets the first of the workspaces. What waits ends with it.
func (r *rig) beside(ctx context.Context, n int, fn func(context.Context, *hooked) ([]measure.Row, error)) ([]measure.Row, error) {
	addresses, closeHoles, err := openHoles(n)
	if err != nil {
		return nil, err
	}
	defer closeHoles()
	if err := r.serve.Stop(); err != nil {
		return nil, err
	}
	api, err := r.stack.Service(ctx, measure.Unique("hanging-api"), "api", map[string]string{"REDLINE_MAX_ENDPOINTS": "100"})
	if err != nil {
		return nil, err
	}
	all, err := r.hangingIn(ctx, api.URL, addresses)
	api.Kill()
	if err != nil {
		return nil, err
	}
	if err := r.serve.Start(ctx); err != nil {
		return nil, err
	}
	rows, err := fn(ctx, all[0])
	for _, h := range all {
		err = errors.Join(err, h.keyed(ctx, "workspace/advancedwebhookconfig/update", map[string]any{"isEnabled": false}))
	}
	return rows, err
}

// openHoles opens n origins that take connections and never read.
func openHoles(n int) (addresses []string, closeAll func(), err error) {
	var holes []net.Listener
	closeAll = func() {
		for _, hole := range holes {
			_ = hole.Close()
		}
	}
	for range n {
		hole, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			closeAll()
			return nil, nil, err
		}
		holes, addresses = append(holes, hole), append(addresses, hole.Addr().String())
	}
	return addresses, closeAll, nil
}

// hangingIn makes the workspaces, with an endpoint that hangs at each address. They are
// called at the service afterwards.
func (r *rig) hangingIn(ctx context.Context, api string, addresses []string) ([]*hooked, error) {
	var all []*hooked
	n := len(addresses)
	for i := range hangingWorkspaces {
		workspace, err := client.CreateWorkspace(ctx, api, measure.Unique("bench")+"@bench.example.com")
		if err != nil {
			return nil, err
		}
		if err := (&hooked{workspace}).hang(ctx, addresses[i*n/hangingWorkspaces:(i+1)*n/hangingWorkspaces]); err != nil {
			return nil, err
		}
		all = append(all, &hooked{workspace.At(r.serve.URL)})
	}
	return all, nil
}

// hang switches webhooks on, makes endpoints that never answer, and lets a third
// of what waits in all pile up for them.
func (h *hooked) hang(ctx context.Context, addresses []string) error {
	if err := h.keyed(ctx, "workspace/advancedwebhookconfig/update", map[string]any{"isEnabled": true}); err != nil {
		return err
	}
	definition, err := h.definition(ctx)
	if err != nil {
		return err
	}
	for _, address := range addresses {
		if err := h.endpoint(ctx, "http://"+address+"/", channel(definition)); err != nil {
			return err
		}
	}
	const each = manyWaiting / hangingWorkspaces
	return h.cancelled(ctx, (each+len(addresses)*eventsOfCancelled-1)/(len(addresses)*eventsOfCancelled), definition)
}

// endpointBeside measures a healthy endpoint of the workspace.
func (r *rig) endpointBeside(ctx context.Context, h *hooked) ([]measure.Row, error) {
	healthy, err := r.healthyEndpoint(ctx, h)
	if err != nil {
		return nil, err
	}
	defer healthy.Close()
	n, err := h.steadily(ctx, besideRate, besideSpan)
	if err != nil {
		return nil, err
	}
	took, err := r.arrivals(ctx, h, n, healthy)
	if err != nil {
		return nil, err
	}
	return []measure.Row{besideRow("a healthy endpoint beside 100 that hang in three workspaces", took)}, nil
}

// healthyEndpoint makes an endpoint of the workspace for added comments, and the
// receiver that answers for it.
func (r *rig) healthyEndpoint(ctx context.Context, h *hooked) (*receiving.Receiver, error) {
	healthy, err := receiving.Listen(r.authority)
	if err != nil {
		return nil, err
	}
	if err := h.endpoint(ctx, healthy.Base+"/hook", map[string]any{"filterTypes": []string{commentAdd}}); err != nil {
		healthy.Close()
		return nil, err
	}
	return healthy, nil
}

func besideRow(what string, took []time.Duration) measure.Row {
	return measure.Below(besideGoal, measure.Row{
		Name: "first attempts at " + what + ", p95", Unit: "ms", Measured: measure.Percentile(took, 95),
		What: "the median of the same", Against: measure.Percentile(took, 50),
		Note: fmt.Sprintf("%d attempts in the first minute, %d deliveries wait; the longest %.0f ms", len(took), manyWaiting, measure.Percentile(took, 100)),
	})
}

// fourthBeside measures a receiver and mails of another workspace.
func (r *rig) fourthBeside(ctx context.Context, _ *hooked) ([]measure.Row, error) {
	fourth, err := client.CreateWorkspace(ctx, r.serve.URL, measure.Unique("bench")+"@bench.example.com")
	if err != nil {
		return nil, err
	}
	host, err := openMailHost(ctx, fourth)
	if err != nil {
		return nil, err
	}
	defer host.Close()
	healthy, err := receiving.Listen(r.authority)
	if err != nil {
		return nil, err
	}
	defer healthy.Close()
	own := *r
	own.Workspace = fourth
	definition, err := own.Define(ctx, []redline.NodeInput{client.Mock("only")})
	if err != nil {
		return nil, err
	}
	mailed := make(chan error, 1)
	go func() {
		_, err := measure.Evenly(ctx, mailRate, besideSpan, func(i int) error { return mention(ctx, fourth, i) })
		mailed <- err
	}()
	n, err := measure.Evenly(ctx, besideRate, besideSpan, func(int) error {
		_, err := fourth.Dispatch(ctx, redline.DispatchRequest{DefinitionID: definition, WebhookURL: new(healthy.Base + "/events"), WebhookSecret: new(benchSecret)})
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := <-mailed; err != nil {
		return nil, err
	}
	lags, err := own.lags(ctx, definition, []*receiving.Receiver{healthy}, n)
	if err != nil {
		return nil, err
	}
	letters, err := own.letterLags(ctx, host)
	return []measure.Row{
		besideRow("a receiver of a fourth workspace beside 300 endpoints that hang", lags),
		besideRow("a mail host of a fourth workspace beside 300 endpoints that hang", letters),
	}, err
}

// openMailHost is a host of the workspace's own that takes its mails.
func openMailHost(ctx context.Context, w *client.Workspace) (*receiver.MailHost, error) {
	host := receiver.NewMailHost()
	if err := host.Open(); err != nil {
		return nil, err
	}
	_, err := client.Call[map[string]any](ctx, w.Keyed, "workspace/emailconfig/update", map[string]any{
		"useEmailService": true, "emailServiceConfig": map[string]any{
			"type": "smtp", "host": host.Address, "port": receiver.MailPort, "security": "none", "fromEmail": "desk@bench.example.com",
		},
	})
	return host, err
}

// mention adds a comment of which one user is sent a mail.
func mention(ctx context.Context, w *client.Workspace, i int) error {
	user := fmt.Sprintf("u_%d", i)
	contact := map[string]any{"userId": user, "email": user + "@bench.example.com"}
	_, err := client.Call[map[string]any](ctx, w.Keyed, "commentannotations/add", map[string]any{
		"organizationId": "bench", "documentId": "bench", "createOrganization": true, "createDocument": true,
		"commentAnnotations": []any{map[string]any{"commentData": []any{map[string]any{
			"commentText": "Hi {{" + user + "}}", "from": map[string]any{"userId": "u_bench"}, "triggerNotification": true,
			"taggedUserContacts": []any{map[string]any{"userId": user, "contact": contact}},
		}}}},
	})
	return err
}

// letterLags returns how long after its row each mail of the workspace came.
func (r *rig) letterLags(ctx context.Context, host *receiver.MailHost) ([]time.Duration, error) {
	made, err := r.moments(ctx, `SELECT recipient, created_at FROM mails WHERE workspace_id = $1`, r.Workspace.ID)
	if err != nil {
		return nil, err
	}
	err = measure.Until(ctx, func() (bool, error) { return len(host.Letters()) >= len(made), nil })
	came := map[string]time.Time{}
	for _, letter := range host.Letters() {
		came[letter.To] = letter.At
	}
	var took []time.Duration
	for _, m := range made {
		took = append(took, came[m.ID].Sub(m.At))
	}
	return took, err
}
