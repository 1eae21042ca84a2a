package stack

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Options are what the command line says.
type Options struct {
	// Data is the folder for everything that is kept, absolute.
	Data string
	// FreePorts takes free ports for everything, the usual ones included.
	FreePorts bool
	// Reset wipes the data folder first.
	Reset bool
	// FetchOnly gets the servers and ends.
	FetchOnly bool
	// Services are the service's own processes to run: serve; api and worker; or none.
	Services []string
	// Service is the program that is run for them: redline beside this one.
	Service string
}

const usage = `redline-dev starts the whole service on this machine.

Postgres, Temporal and Weaviate are fetched or built the first time (about 8
minutes on two cores) and kept for this user. Ctrl-C stops everything, the data stays.

`

// Parse reads the arguments. Asked for help it prints it and returns flag.ErrHelp.
func Parse(args []string) (Options, error) {
	var options Options
	flags := flag.NewFlagSet("redline-dev", flag.ContinueOnError)
	flags.Usage = func() {}
	flags.SetOutput(io.Discard)
	data := flags.String("data", ".local", "`folder` for data, logs and addresses")
	ports := flags.String("ports", "usual", "usual, or `free` for free ports only")
	services := flags.String("services", "serve", "processes of the service: serve, `api,worker` or none")
	flags.BoolVar(&options.Reset, "reset", false, "wipe the data folder first")
	flags.BoolVar(&options.FetchOnly, "fetch", false, "fetch and build the servers that are missing, and end")
	err := flags.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(os.Stdout, usage)
		flags.SetOutput(os.Stdout)
		flags.PrintDefaults()
	}
	if err != nil {
		return options, err
	}
	if flags.NArg() > 0 {
		return options, fmt.Errorf("takes no argument %q; see redline-dev --help", flags.Arg(0))
	}
	if options.FreePorts = *ports == "free"; !options.FreePorts && *ports != "usual" {
		return options, fmt.Errorf("--ports is usual or free, not %q", *ports)
	}
	if options.Services, err = parseServices(*services); err != nil {
		return options, err
	}
	if options.Data, err = filepath.Abs(*data); err != nil {
		return options, err
	}
	own, err := os.Executable()
	options.Service = filepath.Join(filepath.Dir(own), "redline")
	return options, err
}

func parseServices(text string) ([]string, error) {
	if text == "none" || text == "" {
		return nil, nil
	}
	names := strings.Split(text, ",")
	for _, name := range names {
		if name != "serve" && name != "api" && name != "worker" {
			return nil, fmt.Errorf("--services is serve, api, worker, several of them with commas, or none; not %q", name)
		}
	}
	return names, nil
}
