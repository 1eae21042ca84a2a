package trial

import (
	"context"

	"github.com/redline-svc/redline/internal/embed"
	"github.com/redline-svc/redline/tools/calibrate/labelled"
)

// Bar is what a figure has to reach. Without either limit it is only printed.
type Bar struct {
	Name    string   `json:"name"`
	AtLeast *float64 `json:"atLeast,omitempty"`
	AtMost  *float64 `json:"atMost,omitempty"`
}

// Bars are those of all figures, in the order of Measure.
var Bars = []Bar{
	{Name: "suggest: right kind of answer", AtLeast: new(0.90)},
	{Name: "suggest: null on unrelated", AtLeast: new(0.95)},
	{Name: "suggest: F1 of conflicts", AtLeast: new(0.80)},
	{Name: "suggest: Brier score", AtMost: new(0.20)},
	{Name: "patterns: practices found", AtLeast: new(0.90)},
	{Name: "patterns: false ones", AtMost: new(0.10)},
	{Name: "patterns: the same over 5 runs", AtLeast: new(1.0)},
	{Name: "ask: citations word for word", AtLeast: new(1.0)},
	{Name: "ask: empty on unanswerable", AtLeast: new(0.90)},
	{Name: "ask: answered"},
	{Name: "ask: answered from a record that holds it"},
	{Name: "search: right chunk in the first 10", AtLeast: new(0.90)},
	{Name: "search: right chunk in the first 10, hybrid", AtLeast: new(0.90)},
	{Name: "search: nDCG@10 by meaning"},
	{Name: "search: nDCG@10 by words"},
	{Name: "search: nDCG@10 by words without stems"},
	{Name: "search: nDCG@10 hybrid"},
	{Name: "search: by meaning against by words", AtLeast: new(1.0)},
	{Name: "search: hybrid against the better of both", AtLeast: new(1.0)},
	{Name: "search: by words with stems against without", AtLeast: new(1.0)},
	{Name: "search: by meaning against unsplit passages", AtLeast: new(0.95)},
}

// Met reports whether a value reaches the bar.
func (b Bar) Met(value float64) bool {
	return (b.AtLeast == nil || value >= *b.AtLeast) && (b.AtMost == nil || value <= *b.AtMost)
}

// Figure is what was measured of both halves. Met is whether the proof half reaches the bar,
// nil where there is none.
type Figure struct {
	Bar

	Tuning float64 `json:"tuning"`
	Proof  float64 `json:"proof"`
	Met    *bool   `json:"met,omitempty"`
}

// Setting is one value of a threshold with its figures of the tuning half; Current is the
// value that holds.
type Setting struct {
	Threshold string     `json:"threshold"`
	Value     float64    `json:"value"`
	Current   bool       `json:"current,omitempty"`
	Figures   []Measured `json:"figures"`
}

// Measured is a figure of one half.
type Measured struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
}

// Report returns the figures of both halves.
func (t *Trial) Report(ctx context.Context, with embed.Thresholds) ([]Figure, error) {
	tuning, err := t.Measure(ctx, labelled.Tuning, with)
	if err != nil {
		return nil, err
	}
	proof, err := t.Measure(ctx, labelled.Proof, with)
	if err != nil {
		return nil, err
	}
	figures := make([]Figure, len(Bars))
	for i, bar := range Bars {
		figures[i] = Figure{Bar: bar, Tuning: tuning[i], Proof: proof[i]}
		if bar.AtLeast != nil || bar.AtMost != nil {
			figures[i].Met = new(bar.Met(proof[i]))
		}
	}
	return figures, nil
}
