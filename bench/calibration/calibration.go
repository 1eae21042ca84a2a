package calibration

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"

	"github.com/redline-svc/redline/bench/measure"
)

// figure is a line of what the program prints. One without a limit is for comparison only.
type figure struct {
	Name    string   `json:"name"`
	AtLeast *float64 `json:"atLeast"`
	AtMost  *float64 `json:"atMost"`
	Tuning  *float64 `json:"tuning"`
	Proof   *float64 `json:"proof"`
}

// Measure runs tools/calibrate and returns its figures: those of the proof half measured, and
// those of the tuning half beside them.
func Measure(ctx context.Context) ([]measure.Row, error) {
	command := exec.CommandContext(ctx, "go", "run", "github.com/redline-svc/redline/tools/calibrate", "--json")
	command.Env = append(os.Environ(), "REDLINE_EMBEDDER=local")
	command.Stderr = os.Stderr
	printed, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("tools/calibrate: %w", err)
	}
	return rows(printed)
}

func rows(printed []byte) ([]measure.Row, error) {
	var found struct {
		Model   string   `json:"model"`
		Figures []figure `json:"figures"`
	}
	if err := json.Unmarshal(printed, &found); err != nil {
		return nil, err
	}
	if len(found.Figures) == 0 {
		return nil, errors.New("the program printed no figures")
	}
	all := make([]measure.Row, len(found.Figures))
	for i, f := range found.Figures {
		if f.Tuning == nil || f.Proof == nil {
			return nil, fmt.Errorf("the figure %q is not of both halves", f.Name)
		}
		all[i] = f.row(found.Model)
		if *f.Tuning == 0 {
			all[i].Ratio = 0 // there is none, and JSON has no infinity
		}
	}
	return all, nil
}

func (f figure) row(model string) measure.Row {
	row := measure.Row{Name: f.Name, Measured: *f.Proof, What: "the half tuned on", Against: *f.Tuning, Note: model}
	switch {
	case f.AtLeast != nil:
		return measure.Above(*f.AtLeast, row)
	case f.AtMost != nil:
		return measure.Below(*f.AtMost, row)
	default:
		return measure.Beside(row)
	}
}
