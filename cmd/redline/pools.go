package main

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/config"
	"github.com/redline-svc/redline/models"
)

// entryConns are enough to say who calls and whether the process is ready.
const entryConns = 3

// pools are the connections to Postgres. None of them can use up those of another: while
// callers hold all that calls may have, work goes on, and a caller is still known and
// refused at once.
type pools struct {
	// entry is for readiness, credentials and rates.
	entry *models.DB
	// calls answers operations, each workspace within its share; nil in a worker.
	calls *models.DB
	// work is for all else; nil in an API process.
	work *models.DB
}

// openPools makes the pools of a role. Error: an address that is none of a database.
func openPools(ctx context.Context, role config.Role, d config.Database, tracer pgx.QueryTracer) (p pools, err error) {
	pool := func(o models.PoolOptions) (db *models.DB) {
		if err == nil {
			o.Tracer = tracer
			db, err = models.Open(ctx, d.URL.Reveal(), o)
		}
		return db
	}
	p.entry = pool(models.PoolOptions{Conns: entryConns})
	if role != config.Worker {
		p.calls = pool(models.PoolOptions{Conns: d.MaxConns, Shared: true})
	}
	if role != config.API {
		p.work = pool(models.PoolOptions{Conns: d.WorkerConns})
	}
	return p, err
}

// all are the pools that there are, first the one for what nobody has called for.
func (p pools) all() []*models.DB {
	var found []*models.DB
	for _, db := range []*models.DB{p.work, p.calls, p.entry} {
		if db != nil {
			found = append(found, db)
		}
	}
	return found
}

// close ends the pools once their connections are back.
func (p pools) close() {
	for _, db := range p.all() {
		db.Close()
	}
}
