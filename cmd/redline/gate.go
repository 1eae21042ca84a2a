package main

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models"
	"github.com/redline-svc/redline/models/schema"
)

// gate is shut until the database has the schema that this program is made for. Before that nobody
// is answered and no work is taken, so an upgrade without its migration changes nothing.
type gate struct {
	db  *models.DB
	log *slog.Logger

	open   atomic.Bool
	warned sync.Once
}

// look asks the database.
func (g *gate) look(ctx context.Context) error {
	err := schema.SchemaReady(ctx, g.db)
	switch {
	case err == nil:
		g.open.Store(true)
	case errors.Is(err, schema.ErrUnmigrated):
		g.warned.Do(func() {
			g.log.WarnContext(ctx, "nobody is answered and no work is taken until the database is migrated", "error", err)
		})
	}
	return err
}

// check asks the database until the gate is open once. The error is UNAVAILABLE.
func (g *gate) check(ctx context.Context) error {
	if g.open.Load() {
		return nil
	}
	if err := g.look(ctx); err != nil {
		return fault.Unavailable(err)
	}
	return nil
}

// wait returns when the gate is open, and reports whether it has come to that before ctx ended.
func (g *gate) wait(ctx context.Context) bool {
	for ctx.Err() == nil {
		if g.check(ctx) == nil {
			return true
		}
		select {
		case <-ctx.Done():
		case <-time.After(keyRetry):
		}
	}
	return false
}

// behind returns what runs fn once the gate is open, until ctx ends.
func (g *gate) behind(ctx context.Context, fn func(context.Context)) func() {
	return func() {
		if g.wait(ctx) {
			fn(ctx)
		}
	}
}
