package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/redline-svc/redline/cmd/redline-dev/pglocal"
	"github.com/redline-svc/redline/cmd/redline/calibrate"
	"github.com/redline-svc/redline/cmd/redline/calibrate/kept"
	"github.com/redline-svc/redline/cmd/redline/calibrate/trial"
	"github.com/redline-svc/redline/internal/config"
	"github.com/redline-svc/redline/internal/embed"
)

func (a *admin) calibrateCommand() *cobra.Command {
	var asked calibrationAsked
	cmd := &cobra.Command{
		Use:   "calibrate",
		Short: "Measure how suggestions, patterns and answers fare with the configured model",
		Long: `Measure on labelled reviews, which are part of the program, how suggestions, patterns and
answers fare with the configured model (REDLINE_EMBEDDER, REDLINE_EMBED_*) and its thresholds.
The sets are in two halves: thresholds are chosen on the tuning half, and the figures of the
proof half count. It needs no database and no index. The first run embeds about 2,500 texts;
their vectors are kept in the cache folder of the user, so that a second one takes seconds.`,
		Args: cobra.NoArgs,
		// Unlike the others it opens no database.
		PersistentPreRunE: func(*cobra.Command, []string) (err error) {
			a.config, _, err = config.Load(config.Calibrate, a.environ)
			return err
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return a.calibrate(cmd.Context(), asked) },
	}
	cmd.Flags().BoolVar(&asked.grid, "grid", false, "print the figures of the tuning half around each threshold, too")
	cmd.Flags().StringVar(&asked.common, "common", "", "write what the vectors of the tuning half have in common to this file, too")
	return cmd
}

// calibrationAsked is what is wanted besides the figures: the grid, and a file for what
// reviews have in common.
type calibrationAsked struct {
	grid   bool
	common string
}

// calibration is what is printed.
type calibration struct {
	Model      string          `json:"model"`
	Thresholds thresholds      `json:"thresholds"`
	Figures    []trial.Figure  `json:"figures"`
	Grid       []trial.Setting `json:"grid,omitempty"`
}

// thresholds are embed.Thresholds with names for JSON.
type thresholds struct {
	Floor   float64 `json:"floor"`
	Strong  float64 `json:"strong"`
	Wide    float64 `json:"wide"`
	Cluster float64 `json:"cluster"`
	Answer  float64 `json:"answer"`
	Certain float64 `json:"certain"`
}

func (a *admin) calibrate(ctx context.Context, asked calibrationAsked) error {
	configured, err := newEmbedder(ctx, a.config.Embed)
	if err != nil {
		return err
	}
	folder, err := pglocal.DefaultCacheDir()
	if err != nil {
		folder = "" // nothing is kept then
	}
	model, err := kept.Open(ctx, folder, configured)
	if err != nil {
		return err
	}
	model.Progress = a.progress
	found, err := calibrated(ctx, model, asked)
	if saved := model.Save(); saved != nil {
		_, _ = fmt.Fprintln(a.asked, "The vectors are not kept:", saved)
	}
	if err != nil {
		return err
	}
	return a.print(found, func(w io.Writer) { found.write(w) })
}

func calibrated(ctx context.Context, model embed.Embedder, asked calibrationAsked) (*calibration, error) {
	sets, err := calibrate.Load()
	if err != nil {
		return nil, err
	}
	of, err := trial.New(ctx, sets, model)
	if err != nil {
		return nil, err
	}
	with := model.Identity().Thresholds()
	found := &calibration{Model: model.Identity().String(), Thresholds: thresholds(with)}
	if found.Figures, err = of.Report(ctx, with); err == nil && asked.grid {
		found.Grid, err = of.Grid(ctx, with)
	}
	if err == nil && asked.common != "" {
		err = writeCommon(asked.common, of.Common())
	}
	return found, err
}

// writeCommon writes rows of float32 values, little-endian, as embed.Identity.WithoutCommon
// reads them.
func writeCommon(file string, rows [][]float32) error {
	content, err := binary.Append(nil, binary.LittleEndian, slices.Concat(rows...))
	if err != nil {
		return err
	}
	return os.WriteFile(file, content, 0o644) //nolint:gosec // no secret
}

// write prints the figures for a person.
func (c *calibration) write(w io.Writer) {
	t := c.Thresholds
	_, _ = fmt.Fprintf(w, "model %s: floor %.2f, among all content %.2f, strong %.2f, cluster %.2f, answer %.2f, certain %.2f\n\n",
		c.Model, t.Floor, t.Wide, t.Strong, t.Cluster, t.Answer, t.Certain)
	_, _ = fmt.Fprintf(w, "figure\ttuning\tproof\tbar\t\n")
	for _, f := range c.Figures {
		_, _ = fmt.Fprintf(w, "%s\t%.2f\t%.2f\t%s\t%s\n", f.Name, f.Tuning, f.Proof, barInWords(f.Bar), verdict(f.Met))
	}
	for i, s := range c.Grid {
		if i == 0 || c.Grid[i-1].Threshold != s.Threshold {
			_, _ = fmt.Fprintf(w, "\n%s, tuning\t%s\n", s.Threshold, columns(s, func(f trial.Measured) string { return f.Name }))
		}
		mark := ""
		if s.Current {
			mark = " *"
		}
		_, _ = fmt.Fprintf(w, "%.2f%s\t%s\n", s.Value, mark, columns(s, func(f trial.Measured) string { return fmt.Sprintf("%.2f", f.Value) }))
	}
}

// columns are the figures of a setting, a cell each.
func columns(s trial.Setting, cell func(trial.Measured) string) string {
	cells := make([]string, len(s.Figures))
	for i, f := range s.Figures {
		cells[i] = cell(f)
	}
	return strings.Join(cells, "\t")
}

// barInWords is the bar in words.
func barInWords(b trial.Bar) string {
	switch {
	case b.AtLeast != nil:
		return fmt.Sprintf("at least %.2f", *b.AtLeast)
	case b.AtMost != nil:
		return fmt.Sprintf("at most %.2f", *b.AtMost)
	default:
		return ""
	}
}

func verdict(met *bool) string {
	switch {
	case met == nil:
		return ""
	case *met:
		return "met"
	default:
		return "MISSED"
	}
}
