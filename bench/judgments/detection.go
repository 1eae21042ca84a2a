package judgments

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"github.com/redline-svc/redline/bench/measure"
)

const (
	detectionGoal, detectionMemory = 5000, 64
	detectionRuns                  = "3x"
)

// Detection runs the benchmark of the package that keeps patterns: it reads 3,000 judgments
// among 100,000, finds the patterns and stores them.
func Detection(ctx context.Context) ([]measure.Row, error) {
	command := exec.CommandContext(ctx, "go", "test", "-run", "^$", "-bench", "^BenchmarkScope$", "-benchtime", detectionRuns, "./models/pattern")
	command.Stderr = os.Stderr
	printed, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("go test ./models/pattern: %w", err)
	}
	took, err := reported(string(printed), "ns/op")
	if err != nil {
		return nil, err
	}
	memory, err := reported(string(printed), "peak-MiB")
	if err != nil {
		return nil, err
	}
	return []measure.Row{
		measure.Below(detectionGoal, measure.Row{Name: "detection over 3,000 judgments", Unit: "ms", Measured: took / 1e6}),
		measure.Below(detectionMemory, measure.Row{Name: "memory of a detection over 3,000 judgments, above that before", Unit: "MiB", Measured: memory}),
	}, nil
}

// reported is the figure in front of a unit in what a benchmark printed.
func reported(printed, unit string) (float64, error) {
	words := strings.Fields(printed)
	for i, word := range words {
		if word == unit && i > 0 {
			return strconv.ParseFloat(words[i-1], 64)
		}
	}
	return 0, errors.New("the benchmark printed no " + unit)
}
