package main

import (
	"context"
	"maps"
	"time"

	"github.com/redline-svc/redline/internal/poll"
	"github.com/redline-svc/redline/models"
	"github.com/redline-svc/redline/models/queue"
	"github.com/redline-svc/redline/models/workspace"
)

const (
	// backlogEvery is how often what waits is counted, by one worker for all of
	// them; the others look as often for what it found.
	backlogEvery = 15 * time.Second
	// secretsEvery is how often sealed values are counted.
	secretsEvery = 10 * time.Minute
)

// Names of the figures that workers share.
const (
	figureBacklog = "backlog"
	figureSecrets = "secrets"
)

// count keeps the metrics of rows, until ctx ends. A count that fails leaves
// them as they were; the metric of the database shows why.
func (p *parts) count(ctx context.Context) {
	tick := time.NewTicker(backlogEvery)
	defer tick.Stop()
	for {
		p.showBacklog(ctx)
		p.showSecrets(ctx)
		p.showLargest(ctx)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

func (p *parts) showBacklog(ctx context.Context) {
	b, err := workspace.Figure(ctx, p.stores.Figures, figureBacklog, backlogEvery, func(ctx context.Context) (models.Backlog, error) {
		return models.ReadBacklog(ctx, p.db())
	})
	if err != nil {
		return
	}
	waits := map[queue.Kind]models.Waiting{"delivery": b.Deliveries}
	maps.Copy(waits, b.Queued)
	for kind, waiting := range waits {
		p.metrics.QueueRows.WithLabelValues(string(kind)).Set(float64(waiting.Rows))
		p.metrics.QueueOldest.WithLabelValues(string(kind)).Set(waiting.Oldest)
	}
	p.metrics.WebhookPending.Set(float64(b.Deliveries.Rows))
	p.metrics.WebhookOldestPending.Set(b.Deliveries.Oldest)
	p.metrics.WebhookThrottled.Set(float64(p.sending.Throttled()))
}

// storageEvery is how often a worker looks whether the night's count is due.
const storageEvery = 10 * time.Minute

// countStorage counts once a night what workspaces keep, until ctx ends.
func (p *parts) countStorage(ctx context.Context) {
	looks := poll.New(storageEvery)
	looks.Notify()
	looks.Run(ctx, func(ctx context.Context) (more bool) {
		if err := p.stores.Quotas.CountNightly(ctx); err != nil && ctx.Err() == nil {
			p.log.Warn("what workspaces keep could not be counted", "error", err)
		}
		return false
	})
}

// showLargest shows how much the workspace keeps that keeps most, without naming it.
func (p *parts) showLargest(ctx context.Context) {
	largest, err := p.stores.Quotas.Largest(ctx)
	if err != nil {
		return
	}
	for kind, bytes := range largest {
		p.metrics.WorkspaceBytesMax.WithLabelValues(string(kind)).Set(float64(bytes))
	}
}

func (p *parts) showSecrets(ctx context.Context) {
	rows, err := workspace.Figure(ctx, p.stores.Figures, figureSecrets, secretsEvery,
		workspace.NewRewrap(p.db(), p.box, models.AllSealedColumns).KeyUses)
	if err != nil {
		return
	}
	p.metrics.SecretRows.Reset()
	for key, n := range rows {
		p.metrics.SecretRows.WithLabelValues(key).Set(float64(n))
	}
}
