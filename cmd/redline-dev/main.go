package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/redline-svc/redline/cmd/redline-dev/console"
	"github.com/redline-svc/redline/cmd/redline-dev/stack"
)

func main() {
	os.Exit(run(context.Background(), os.Args[1:], os.Stderr))
}

// run returns the exit code: 0, 1 for a failure, 2 for a wrong command line.
func run(ctx context.Context, args []string, out io.Writer) int {
	options, err := stack.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		fmt.Fprintf(out, "redline-dev: %v\n", err)
		return 2
	}
	if err := untilSignal(ctx, options); err != nil {
		fmt.Fprintf(out, "redline-dev: %v\n", err)
		return 1
	}
	return 0
}

// untilSignal runs the stack until Ctrl-C. A second Ctrl-C ends at once; the
// servers then die with this process.
func untilSignal(ctx context.Context, options stack.Options) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	// After the first signal the default behaviour is back.
	context.AfterFunc(ctx, stop)
	return stack.Run(ctx, options, console.New(os.Stdout))
}
