package models

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/models/internal/list"
	"github.com/redline-svc/redline/models/internal/pg"
)

// DB is one pool of connections, from which all stores are made.
type DB = pg.DB

// ErrURL is an address that is none of a Postgres database.
var ErrURL = pg.ErrURL

// Open makes the pool. It does not wait for the database: a process starts
// without it and becomes ready when it is there. The last tracer, if any, sees
// every statement. Error: ErrURL.
func Open(ctx context.Context, url string, maxConns int32, tracers ...pgx.QueryTracer) (*DB, error) {
	return pg.Open(ctx, url, maxConns, tracers...)
}

// Position is where a reader stands in a list that is walked both ways.
type Position = list.TwoWayPosition

// Page is a page of such a list.
type Page[T any] = list.TwoWayPage[T]
