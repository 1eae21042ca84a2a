package main

import (
	"context"
	"time"

	"github.com/redline-svc/redline/bench/measure"
	"github.com/redline-svc/redline/bench/receiving"
	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit/client"
)

const (
	outageDispatches = 200
	outageDecisions  = 50
	// prototypeOutage is what a prototype of the design took, in seconds.
	prototypeOutage = 13
)

// benchOutage kills Temporal, dispatches and decides meanwhile, starts it
// again and measures from its return until everything is done. Behind each
// decision stands a webhook step, so that the decisions need Temporal too.
func benchOutage(ctx context.Context, r *rig) ([]measure.Row, error) {
	receiver, err := receiving.Listen(r.authority)
	if err != nil {
		return nil, err
	}
	defer receiver.Close()
	instant, err := r.Define(ctx, []redline.NodeInput{client.Mock("only")})
	if err != nil {
		return nil, err
	}
	asked, err := r.Define(ctx, []redline.NodeInput{client.Human("review", "ann"), client.Hook("call", receiver.Base+"/call")}, client.Both("review", "call")...)
	if err != nil {
		return nil, err
	}
	waiting, err := r.Waiting(ctx, asked, outageDecisions)
	if err != nil {
		return nil, err
	}
	if err := r.stack.Part(ctx, "temporal", "kill"); err != nil {
		return nil, err
	}
	if _, _, err := r.Dispatches(ctx, outageDispatches, redline.DispatchRequest{DefinitionID: instant}); err != nil {
		return nil, err
	}
	_, err = measure.Spread(ctx, measure.Callers, len(waiting), func(ctx context.Context, i int) error { return r.Approve(ctx, waiting[i]) })
	if err != nil {
		return nil, err
	}
	if err := r.stack.Part(ctx, "temporal", "start"); err != nil {
		return nil, err
	}
	returned := time.Now()
	for _, definition := range []string{instant, asked} {
		if err := r.AwaitEnded(ctx, definition); err != nil {
			return nil, err
		}
	}
	return []measure.Row{measure.Below(15, measure.Row{
		Name: "Temporal stopped during 200 dispatches and 50 decisions: all done after its return", Unit: "s",
		Measured: time.Since(returned).Seconds(), What: "prototype", Against: prototypeOutage,
	})}, nil
}
