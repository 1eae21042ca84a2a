package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/redline-svc/redline/internal/config"
	"github.com/redline-svc/redline/models"
	"github.com/redline-svc/redline/models/schema"
)

// runMigrate is `redline migrate`: safe to repeat, and to run from several
// machines at once.
func runMigrate(ctx context.Context) error {
	conf, log, err := configure(config.Migrate)
	if err != nil {
		return err
	}
	ctx, stop := untilSignal(ctx)
	defer stop()
	started := time.Now()
	if err := schema.Migrate(ctx, conf.Database.URL.Reveal()); err != nil {
		return databaseFault(err)
	}
	log.Info("the schema is the newest", "count", schema.SchemaVersion(), "duration_ms", time.Since(started).Milliseconds())
	return nil
}

// databaseFault names the variable that holds a faulty address.
func databaseFault(err error) error {
	if errors.Is(err, models.ErrURL) {
		return fmt.Errorf("REDLINE_DATABASE_URL: %w", err)
	}
	return err
}

// environ is the environment of this process; a variable for tests.
var environ = os.Environ
