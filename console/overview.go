package console

import (
	"context"
	"slices"
	"time"

	redline "github.com/redline-svc/redline/clients/go"
)

const (
	// hours is the time that the charts cover, of which a bar is one.
	hours = 24
	// charted is how many executions a chart is made of at most, the newest.
	charted, messagesCharted = 200, 200
	// listed is how many rows the first page has of a list.
	listed = 8
	// looked is how many endpoints it has; each costs a call. They are chosen among as many as known.
	looked, known = 4, 100
)

// overviewView is what waits, what fails, what happened and what is used.
type overviewView struct {
	Waiting []redline.ListedStep
	More    bool
	Failed  []redline.Execution
	Chart   chart
	// Sent are the deliveries of messages to endpoints.
	Sent      chart
	Endpoints []endpointRow
	Usage     redline.Usage
	Live      int
}

func (c *Console) overview(v *visit) (*page, error) {
	view := &overviewView{}
	err := together(v.ctx,
		func(ctx context.Context) error { return view.readWaiting(ctx, v.calls) },
		func(ctx context.Context) error { return view.readExecutions(ctx, v.calls) },
		func(ctx context.Context) error { return view.readFailed(ctx, v.calls) },
		func(ctx context.Context) error { return unlessNeverOn(view.readWebhooks(ctx, v.calls)) },
		func(ctx context.Context) (err error) {
			view.Usage, err = v.calls.Usage.Get(ctx, redline.GetUsageRequest{})
			return err
		},
	)
	return &page{Title: "Overview", Template: "overview", Section: "/", Data: view}, err
}

func (o *overviewView) readWaiting(ctx context.Context, calls *redline.Client) error {
	found, err := calls.Steps.List(ctx, redline.ListStepsRequest{NodeType: new(redline.ListStepsRequestNodeTypeHuman), PageSize: new(int64(listed))})
	o.Waiting, o.More = found.Items, found.HasMore
	return err
}

// readExecutions reads those of the last day for the chart.
func (o *overviewView) readExecutions(ctx context.Context, calls *redline.Client) error {
	now := time.Now()
	since := now.Add(-hours * time.Hour).UnixMilli()
	recent, err := calls.Executions.List(ctx, redline.ListExecutionsRequest{StartedAfter: &since, PageSize: new(int64(charted))})
	if err != nil {
		return err
	}
	o.Chart = newChart(now, recent.HasMore)
	for _, execution := range recent.Items {
		failed := execution.Status == redline.ExecutionStatusFailed
		o.Chart.add(time.UnixMilli(execution.StartedAt), failed)
		if execution.CompletedAt == nil && execution.CancelledAt == nil && !failed {
			o.Live++
		}
	}
	return nil
}

// readFailed reads the newest that failed.
func (o *overviewView) readFailed(ctx context.Context, calls *redline.Client) error {
	failed, err := calls.Executions.List(ctx, redline.ListExecutionsRequest{
		Status: new(redline.ListExecutionsRequestStatusFailed), PageSize: new(int64(listed)),
	})
	o.Failed = failed.Items
	return err
}

// readWebhooks reads the messages of the last day for the chart of deliveries, and of the endpoints
// those first that they did not reach.
func (o *overviewView) readWebhooks(ctx context.Context, calls *redline.Client) error {
	missed := map[string]int{}
	var found redline.EndpointList
	err := together(ctx,
		func(ctx context.Context) error { return o.readMessages(ctx, calls, missed) },
		func(ctx context.Context) (err error) {
			found, err = calls.Endpoints.Get(ctx, redline.ListEndpointsRequest{Limit: new(int64(known))})
			return err
		},
	)
	if err != nil {
		return err
	}
	slices.SortStableFunc(found.Endpoints, func(a, b redline.Endpoint) int { return missed[b.ID] - missed[a.ID] })
	o.Endpoints, err = readAttempts(ctx, calls, found.Endpoints[:min(looked, len(found.Endpoints))])
	return err
}

// readMessages fills the chart of deliveries, and counts for each endpoint those that did not arrive.
func (o *overviewView) readMessages(ctx context.Context, calls *redline.Client, missed map[string]int) error {
	now := time.Now()
	found, err := calls.Messages.Get(ctx, redline.ListMessagesRequest{After: now.Add(-hours * time.Hour), Limit: new(int64(messagesCharted))})
	if err != nil {
		return err
	}
	o.Sent = newChart(now, !found.Done)
	for _, message := range found.Messages {
		at, err := time.Parse(time.RFC3339, message.CreatedAt)
		if err != nil {
			return err
		}
		for _, delivery := range message.Deliveries {
			o.Sent.add(at, notArrived(delivery))
			if notArrived(delivery) {
				missed[delivery.EndpointID]++
			}
		}
	}
	return nil
}

// notArrived reports whether an attempt has failed and none after it has succeeded.
func notArrived(d redline.MessageDelivery) bool {
	return d.Status == redline.MessageDeliveryStatusFailed || d.Status == redline.MessageDeliveryStatusPending && d.Class != nil
}

// unlessNeverOn is err, unless it says only that there are no webhooks.
func unlessNeverOn(err error) error {
	if neverOn(err) {
		return nil
	}
	return err
}

// chart has a bar for each hour of a day.
type chart struct {
	now  time.Time
	Bars [hours]bar
	// All and Failed count what the bars show; Part means that there is more than that.
	All, Failed int
	Part        bool
	most        int
}

// bar is an hour, in the units of the picture: 10 wide and 60 high.
type bar struct {
	All, Failed int
}

func newChart(now time.Time, part bool) chart { return chart{now: now, Part: part} }

func (c *chart) add(at time.Time, failed bool) {
	hour := hours - 1 - int(c.now.Sub(at)/time.Hour)
	if hour < 0 || hour >= hours {
		return
	}
	b := &c.Bars[hour]
	b.All++
	c.All++
	if failed {
		b.Failed++
		c.Failed++
	}
	c.most = max(c.most, b.All)
}

// Height is how high a bar of n is, of 56.
func (c chart) Height(n int) int {
	const highest = 56
	if n == 0 || c.most == 0 {
		return 0
	}
	return max(2, n*highest/c.most)
}

// Top is where a bar of n begins, from above.
func (c chart) Top(n int) int { return 60 - c.Height(n) }

// At is where the bar of an hour stands.
func (chart) At(hour int) int { return hour * 10 }
