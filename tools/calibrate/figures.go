package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/redline-svc/redline/tools/calibrate/trial"
)

// calibration is what is printed.
type calibration struct {
	Model      string          `json:"model"`
	Thresholds thresholds      `json:"thresholds"`
	Figures    []trial.Figure  `json:"figures"`
	Turns      []trial.Turn    `json:"turns"`
	Grid       []trial.Setting `json:"grid,omitempty"`
}

// thresholds are embed.Thresholds with names for JSON.
type thresholds struct {
	Unrelated float64 `json:"unrelated"`
	Spread    float64 `json:"spread"`
	Strong    float64 `json:"strong"`
	Cluster   float64 `json:"cluster"`
	Answer    float64 `json:"answer"`
	Certain   float64 `json:"certain"`
}

// write prints the figures for a person.
func (c *calibration) write(w io.Writer) {
	t := c.Thresholds
	_, _ = fmt.Fprintf(w, "model %s: unrelated %.3f, spread %.3f, strong %.2f, cluster %.3f, answer %.2f, certain %.2f\n\n",
		c.Model, t.Unrelated, t.Spread, t.Strong, t.Cluster, t.Answer, t.Certain)
	_, _ = fmt.Fprintf(w, "figure\ttuning\tproof\tbar\t\n")
	for _, f := range c.Figures {
		_, _ = fmt.Fprintf(w, "%s\t%.2f\t%.2f\t%s\t%s\n", f.Name, f.Tuning, f.Proof, barInWords(f.Bar), verdict(f.Met))
	}
	for i, turn := range c.Turns {
		if i == 0 || c.Turns[i-1].Figures[0].Name != turn.Figures[0].Name {
			_, _ = fmt.Fprintf(w, "\nturn\t%s\tfound on the others\n", columns(turn.Figures, func(f trial.Measured) string { return f.Name }))
		}
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\n", turn.Set, columns(turn.Figures, func(f trial.Measured) string { return fmt.Sprintf("%.2f", f.Value) }), turn.Found)
	}
	for i, s := range c.Grid {
		if i == 0 || c.Grid[i-1].Threshold != s.Threshold {
			_, _ = fmt.Fprintf(w, "\n%s, tuning\t%s\n", s.Threshold, columns(s.Figures, func(f trial.Measured) string { return f.Name }))
		}
		mark := ""
		if s.Current {
			mark = " *"
		}
		_, _ = fmt.Fprintf(w, "%.2f%s\t%s\n", s.Value, mark, columns(s.Figures, func(f trial.Measured) string { return fmt.Sprintf("%.2f", f.Value) }))
	}
}

// columns are figures, a cell each.
func columns(figures []trial.Measured, cell func(trial.Measured) string) string {
	cells := make([]string, len(figures))
	for i, f := range figures {
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
