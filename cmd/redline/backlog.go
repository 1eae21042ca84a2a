package main

import (
	"context"
	"time"

	"github.com/redline-svc/redline/models"
	"github.com/redline-svc/redline/models/workspace"
)

const (
	// backlogEvery is how often what waits is counted, secretsEvery how often
	// sealed values are: that reads whole tables.
	backlogEvery = 15 * time.Second
	secretsEvery = 10 * time.Minute
	// countTime bounds one count.
	countTime = 5 * time.Second
)

// count keeps the metrics of rows, until ctx ends. A count that fails leaves
// them as they were; the metric of the database tells why.
func (p *parts) count(ctx context.Context) {
	tick := time.NewTicker(backlogEvery)
	defer tick.Stop()
	var secretsAt time.Time
	for {
		p.countBacklog(ctx)
		if time.Since(secretsAt) > secretsEvery && p.countSecrets(ctx) == nil {
			secretsAt = time.Now()
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

func (p *parts) countBacklog(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, countTime)
	defer cancel()
	b, err := models.ReadBacklog(ctx, p.db)
	if err != nil {
		return
	}
	for kind, waiting := range map[string]models.Waiting{
		"execution": b.Executions, "delivery": b.Deliveries, "ingestion": b.Ingestions,
	} {
		p.metrics.OutboxRows.WithLabelValues(kind).Set(float64(waiting.Rows))
		p.metrics.OutboxOldest.WithLabelValues(kind).Set(waiting.Oldest)
	}
	p.metrics.WebhookPending.Set(float64(b.Deliveries.Rows))
	p.metrics.WebhookOldestPending.Set(b.Deliveries.Oldest)
	p.metrics.WebhookSlowLane.Set(float64(b.SlowOrigins))
}

func (p *parts) countSecrets(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, countTime)
	defer cancel()
	counts, err := workspace.NewRewrap(p.db, p.box, models.AllSealedColumns).Count(ctx)
	if err != nil {
		return err
	}
	rows := map[string]int64{}
	for _, c := range counts {
		rows[c.KeyID] += c.Rows
	}
	p.metrics.SecretRows.Reset()
	for key, n := range rows {
		p.metrics.SecretRows.WithLabelValues(key).Set(float64(n))
	}
	return nil
}
