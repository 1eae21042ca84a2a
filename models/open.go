package models

import (
	"context"

	"github.com/redline-svc/redline/models/internal/list"
	"github.com/redline-svc/redline/models/internal/pg"
)

// DB is one pool of connections, from which all stores are made.
type DB = pg.DB

// ErrURL is an address that is none of a Postgres database.
var ErrURL = pg.ErrURL

// PoolOptions are what one pool has of its own.
type PoolOptions = pg.PoolOptions

// Open makes the pool. It does not wait for the database: a process starts
// without it and becomes ready when it is there. Error: ErrURL.
func Open(ctx context.Context, url string, o PoolOptions) (*DB, error) { return pg.Open(ctx, url, o) }

// Position is where a reader stands in a list that is walked both ways.
type Position = list.TwoWayPosition

// Page is a page of such a list.
type Page[T any] = list.TwoWayPage[T]
