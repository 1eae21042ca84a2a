package main

import (
	"context"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/redline-svc/redline/internal/config"
	"github.com/redline-svc/redline/internal/telemetry"
)

// configure reads the configuration of a role and makes the process's logger,
// which is the default one from then on.
func configure(role config.Role) (config.Config, *slog.Logger, error) {
	conf, unknown, err := config.Load(role, environ())
	if err != nil {
		return conf, nil, err
	}
	log := telemetry.NewLogger(os.Stderr, conf.Telemetry.LogLevel, string(role))
	slog.SetDefault(log)
	for _, name := range unknown {
		log.Warn("a variable is not known and has no effect", "name", name)
	}
	return conf, log, nil
}

// untilSignal returns a context that ends with SIGINT or SIGTERM. After the first
// one the default behaviour is back: a second one ends the process at once.
func untilSignal(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}
