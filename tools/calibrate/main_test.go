package main

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tools/calibrate/trial"
)

// calibrates runs the program with the given variables alone: there is neither a database
// nor an index.
func calibrates(t *testing.T, environ []string, args ...string) (string, error) {
	t.Helper()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	var out, progress bytes.Buffer
	program := &tool{out: &out, progress: &progress, environ: environ}
	err := program.run(t.Context(), args)
	return out.String(), err
}

func TestItNeedsOnlyTheModel(t *testing.T) {
	lexical := []string{"REDLINE_EMBEDDER=lexical"}
	out, err := calibrates(t, lexical, "--json")
	require.NoError(t, err)
	var found calibration
	require.NoError(t, json.Unmarshal([]byte(out), &found))
	require.Contains(t, found.Model, "lexical/")
	require.InDelta(t, 0.65, found.Thresholds.Strong, 0)
	require.Len(t, found.Figures, len(trial.Bars))
	require.Empty(t, found.Grid)
	for _, f := range found.Figures {
		for _, value := range []float64{f.Tuning, f.Proof} {
			require.GreaterOrEqual(t, value, 0.0, f.Name)
			require.LessOrEqual(t, value, 1.0, f.Name)
		}
	}

	out, err = calibrates(t, lexical, "--grid")
	require.NoError(t, err)
	for _, line := range []string{"figure  ", "suggest: Brier score  ", "at most 0.20", "cluster, tuning  ", "\n0.45 *  "} {
		require.Contains(t, out, line)
	}
}

func TestItNamesWhatTheModelLacks(t *testing.T) {
	_, err := calibrates(t, []string{"REDLINE_EMBEDDER=http"})
	require.ErrorContains(t, err, "REDLINE_EMBED_URL")
	require.NotContains(t, err.Error(), "DATABASE")
}
