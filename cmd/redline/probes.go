package main

import (
	"context"
	"errors"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/redline-svc/redline/internal/embed"
	"github.com/redline-svc/redline/internal/ops"
	"github.com/redline-svc/redline/internal/telemetry"
	"github.com/redline-svc/redline/models/schema"
	"github.com/redline-svc/redline/models/vector"
)

// Names of the parts in /readyz and in redline_dependency_up.
const (
	partPostgres  = "postgres"
	partTemporal  = "temporal"
	partWeaviate  = "weaviate"
	partEmbedding = "embedding"
)

// postgres is there when it answers with a schema that this program can use. The process
// ends where one no longer serves it: its statements would fail, one after the other.
func (p *process) postgres() ops.Probe {
	return ops.Probe{Name: partPostgres, Required: true, Look: func(ctx context.Context) error {
		err := p.gate.look(ctx)
		if errors.Is(err, schema.ErrUnserved) {
			select {
			case p.failed <- err:
			default: // it is ending
			}
		}
		return err
	}}
}

// weaviate away leaves reads and all accepted writes as they are. One that has
// lost what it held counts as away.
func (p *parts) weaviate() ops.Probe {
	return ops.Probe{Name: partWeaviate, Look: func(ctx context.Context) error {
		if err := p.knowledge.index.Check(ctx); err != nil {
			return err
		}
		return p.knowledge.index.Lost(ctx, p.stores.Knowledge.Fills)
	}}
}

// lost returns a fault where the index has lost what rows say it holds.
func (p *parts) lost(ctx context.Context, at vector.Partition) error {
	return p.knowledge.index.LostAt(ctx, at, p.stores.Knowledge.Fills)
}

// embedding is there when the model of the vectors in the index can be used.
// Without it searches by meaning fall back and ingestions wait.
func (p *parts) embedding() ops.Probe {
	return ops.Probe{Name: partEmbedding, Look: func(ctx context.Context) error {
		if absent, is := p.knowledge.models.Current().(embed.Absent); is {
			return absent.Cause
		}
		serving, err := p.stores.Knowledge.Serving(ctx, false)
		if err != nil || serving == nil {
			return err
		}
		_, err = p.knowledge.models.For(ctx, serving.Identity, serving.Probe)
		return err
	}}
}

// poolInUse is the number of connections that are lent out.
func poolInUse(all pools) prometheus.Collector {
	return telemetry.PoolInUse(func() (inUse float64) {
		for _, db := range all.all() {
			inUse += float64(db.Pool.Stat().AcquiredConns())
		}
		return inUse
	})
}
