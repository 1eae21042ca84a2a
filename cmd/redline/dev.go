package main

import (
	"context"
	"errors"
	"flag"
	"os"
	"os/signal"
	"syscall"

	"github.com/redline-svc/redline/cmd/redline/devstack"
	"github.com/redline-svc/redline/cmd/redline/devstack/console"
)

// runDev is `redline dev`: the whole service on this machine until Ctrl-C. A
// second Ctrl-C ends at once; the servers then die with this process.
func runDev(ctx context.Context, args []string) error {
	options, err := devstack.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		return nil
	}
	if err != nil {
		return usageError(err.Error())
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	// After the first signal the default behaviour is back.
	context.AfterFunc(ctx, stop)
	return devstack.Run(ctx, options, console.New(os.Stdout))
}
