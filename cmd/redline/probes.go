package main

import (
	"context"
	"fmt"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/redline-svc/redline/internal/ops"
	"github.com/redline-svc/redline/models"
)

// Names of the parts in /readyz and in redline_dependency_up.
const (
	partPostgres = "postgres"
	partTemporal = "temporal"
	partWeaviate = "weaviate"
)

// postgres is there when it answers with a schema that this program can use.
func (p *parts) postgres() ops.Probe {
	return ops.Probe{Name: partPostgres, Required: true, Look: p.db.SchemaReady}
}

// weaviate away leaves reads and all accepted writes as they are.
func (p *parts) weaviate() ops.Probe {
	client := new(http.Client) //nolint:forbidigo // the address is the operator's own
	url := "http://" + p.conf.Weaviate.Addr + "/v1/.well-known/ready"
	return ops.Probe{Name: partWeaviate, Look: func(ctx context.Context) error {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
		if err != nil {
			return fmt.Errorf("weaviate: %w", err)
		}
		answer, err := client.Do(r)
		if err != nil {
			return fmt.Errorf("weaviate: %w", err)
		}
		if err := answer.Body.Close(); err != nil {
			return fmt.Errorf("weaviate: %w", err)
		}
		if answer.StatusCode != http.StatusOK {
			return fmt.Errorf("weaviate answers %s", answer.Status)
		}
		return nil
	}}
}

// poolInUse is the number of connections that are lent out.
func poolInUse(db *models.DB) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "redline_db_pool_in_use", Help: "Connections to Postgres in use.",
	}, func() float64 { return float64(db.Pool.Stat().AcquiredConns()) })
}
