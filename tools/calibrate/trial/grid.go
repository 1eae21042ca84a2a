package trial

import (
	"context"
	"math"
	"strings"

	"github.com/redline-svc/redline/internal/embed"
	"github.com/redline-svc/redline/tools/calibrate/labelled"
)

// varied is a threshold that the grid moves: by steps of that width, so many to each side.
// of is the beginning of the names of the figures that depend on it.
type varied struct {
	name  string
	field func(*embed.Thresholds) *float64
	step  float64
	of    string
}

// steps to each side of the current value.
const steps = 5

var grid = []varied{
	{"unrelated", func(t *embed.Thresholds) *float64 { return &t.Unrelated }, 0.005, "suggest:"},
	{"spread", func(t *embed.Thresholds) *float64 { return &t.Spread }, 0.005, "suggest:"},
	{"strong", func(t *embed.Thresholds) *float64 { return &t.Strong }, 0.02, "suggest:"},
	{"cluster", func(t *embed.Thresholds) *float64 { return &t.Cluster }, 0.005, "patterns:"},
	{"answer", func(t *embed.Thresholds) *float64 { return &t.Answer }, 0.05, "ask:"},
}

// Grid moves one threshold after the other around its value and returns the figures of the
// tuning half that depend on it.
func (t *Trial) Grid(ctx context.Context, around embed.Thresholds) ([]Setting, error) {
	var settings []Setting
	for _, v := range grid {
		current := *v.field(&around)
		for n := -steps; n <= steps; n++ {
			moved := around
			value := v.field(&moved)
			*value = math.Round((current+float64(n)*v.step)*1000) / 1000
			if *value < 0 || *value >= 1 {
				continue
			}
			figures, err := t.Measure(ctx, labelled.Tuning, moved)
			if err != nil {
				return nil, err
			}
			settings = append(settings, Setting{Threshold: v.name, Value: *value, Current: n == 0, Figures: v.depending(figures)})
		}
	}
	return settings, nil
}

// depending are the figures that the threshold moves.
func (v varied) depending(figures []float64) (kept []Measured) {
	for i, bar := range Bars {
		if strings.HasPrefix(bar.Name, v.of) {
			kept = append(kept, Measured{bar.Name, figures[i]})
		}
	}
	return kept
}
