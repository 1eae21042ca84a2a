package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/redline-svc/redline/internal/config"
	"github.com/redline-svc/redline/internal/telemetry"
)

// command is one word that may follow the program's name. One that says not what it
// does is for the program itself.
type command struct {
	name, what string
	run        func(ctx context.Context, args []string) error
}

// commands is the table of all of them.
var commands = []command{
	{"serve", "run the interface and the work behind it", bare(func(ctx context.Context) error { return runProcess(ctx, config.Serve) })},
	{"api", "run the interface alone", bare(func(ctx context.Context) error { return runProcess(ctx, config.API) })},
	{"worker", "run the work alone", bare(func(ctx context.Context) error { return runProcess(ctx, config.Worker) })},
	{"migrate", "bring the database to this program's schema", bare(runMigrate)},
	{"admin", "operator's tool; redline admin --help", runAdmin},
	{"mcp", "let agents use a service by the Model Context Protocol; redline mcp --help", runMCP},
	{convertCommand, "", runConvert},
	{"version", "say what this program is", bare(runVersion)},
}

func main() {
	os.Exit(run(context.Background(), os.Args[1:], os.Stderr))
}

// run returns the exit code: 0, 1 for a failure, 2 for a wrong command line.
func run(ctx context.Context, args []string, out io.Writer) int {
	if len(args) == 0 {
		usage(out)
		return 2
	}
	if args[0] == "help" || args[0] == "-h" || args[0] == "--help" {
		usage(out)
		return 0
	}
	for _, c := range commands {
		if c.name != args[0] {
			continue
		}
		err := c.run(ctx, args[1:])
		var wrong usageError
		switch {
		case err == nil:
			return 0
		case errors.As(err, &wrong):
			fmt.Fprintf(out, "redline %s: %v\n", c.name, err)
			return 2
		default:
			fmt.Fprintf(out, "redline %s: %v\n", c.name, err)
			return 1
		}
	}
	fmt.Fprintf(out, "redline: there is no command %q\n\n", args[0])
	usage(out)
	return 2
}

func usage(out io.Writer) {
	fmt.Fprint(out, "redline <command>\n\n")
	for _, c := range commands {
		if c.what == "" {
			continue
		}
		fmt.Fprintf(out, "  %-8s  %s\n", c.name, c.what)
	}
	fmt.Fprint(out, "\nConfiguration comes from REDLINE_ variables; .env.example lists them.\n")
}

// usageError is a command line that cannot be understood.
type usageError string

// Error returns the sentence.
func (e usageError) Error() string { return string(e) }

// bare makes a command of a function that takes no arguments.
func bare(fn func(context.Context) error) func(context.Context, []string) error {
	return func(ctx context.Context, args []string) error {
		if len(args) > 0 {
			return usageError("takes no arguments, got " + strings.Join(args, " "))
		}
		return fn(ctx)
	}
}

func runVersion(context.Context) error {
	_, err := fmt.Println(telemetry.Version())
	return err
}
