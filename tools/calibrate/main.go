package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"text/tabwriter"

	"github.com/redline-svc/redline/internal/config"
	"github.com/redline-svc/redline/internal/embed"
	"github.com/redline-svc/redline/tools/calibrate/kept"
	"github.com/redline-svc/redline/tools/calibrate/labelled"
	"github.com/redline-svc/redline/tools/calibrate/trial"
)

// tool is one run of the program.
type tool struct {
	environ []string
	out     io.Writer
	// progress is where a person sees how far it is.
	progress io.Writer

	asJSON, grid bool
}

func main() {
	t := &tool{environ: os.Environ(), out: os.Stdout, progress: os.Stderr}
	if err := t.run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "calibrate: %v\n", err)
		os.Exit(1)
	}
}

func (t *tool) run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("calibrate", flag.ExitOnError)
	flags.SetOutput(t.progress)
	flags.BoolVar(&t.asJSON, "json", false, "print JSON")
	flags.BoolVar(&t.grid, "grid", false, "print the figures of the tuning half around each threshold, too")
	_ = flags.Parse(args) // it ends the program where it cannot
	if flags.NArg() > 0 {
		return fmt.Errorf("it takes no argument %q", flags.Arg(0))
	}
	model, err := t.open(ctx)
	if err != nil {
		return err
	}
	found, err := t.measure(ctx, model)
	if saved := model.Save(); saved != nil {
		_, _ = fmt.Fprintln(t.progress, "The vectors are not kept:", saved)
	}
	if err != nil {
		return err
	}
	return t.print(found)
}

// open makes the configured model, with what is kept of it.
func (t *tool) open(ctx context.Context) (*kept.Model, error) {
	conf, _, err := config.Load(config.Calibrate, t.environ)
	if err != nil {
		return nil, err
	}
	e := conf.Embed
	configured, err := embed.New(ctx, embed.Options{
		Provider: e.Provider, RuntimeLibrary: e.RuntimeLibrary,
		HTTP: embed.HTTPOptions{URL: e.URL, APIKey: e.APIKey.Reveal(), Model: e.Model, Dimensions: e.Dimensions},
	})
	if err != nil {
		return nil, err
	}
	folder, err := os.UserCacheDir()
	if err == nil {
		folder = filepath.Join(folder, "redline")
	} // else it is empty, and nothing is kept
	model, err := kept.Open(ctx, folder, configured)
	if err != nil {
		return nil, err
	}
	model.Progress = func(done, of int) {
		_, _ = fmt.Fprintf(t.progress, "\r%d of %d", done, of)
		if done == of {
			_, _ = fmt.Fprintln(t.progress)
		}
	}
	return model, nil
}

// measure makes the figures.
func (t *tool) measure(ctx context.Context, model embed.Embedder) (*calibration, error) {
	sets, err := labelled.Load()
	if err != nil {
		return nil, err
	}
	of, err := trial.New(ctx, sets, model)
	if err != nil {
		return nil, err
	}
	with := model.Identity().Thresholds()
	found := &calibration{Model: model.Identity().String(), Thresholds: thresholds(with)}
	if found.Figures, err = of.Report(ctx, with); err == nil && t.grid {
		found.Grid, err = of.Grid(ctx, with)
	}
	if err == nil {
		found.Turns, err = of.Turns(ctx, with)
	}
	return found, err
}

// print writes the figures as JSON, or in columns for a person.
func (t *tool) print(found *calibration) error {
	if t.asJSON {
		encoder := json.NewEncoder(t.out)
		encoder.SetIndent("", "  ")
		return encoder.Encode(found)
	}
	columns := tabwriter.NewWriter(t.out, 0, 0, 2, ' ', 0)
	found.write(columns)
	return columns.Flush()
}
