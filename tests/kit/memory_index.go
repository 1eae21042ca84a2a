package kit

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit/embedder"
)

// IndexReport is what `redline admin index check` prints.
type IndexReport struct {
	Workspaces int `json:"workspaces"`
	Versions   int `json:"versions"`
	Items      int `json:"items"`
	Judgments  int `json:"judgments"`
	Missing    int `json:"missing"`
	Surplus    int `json:"surplus"`
	Fixed      int `json:"fixed"`
}

// CheckIndex compares index and rows and returns the report, and an error where the command
// ended with one; flags are further words of the command.
func (isolated *IsolatedStack) CheckIndex(flags ...string) (IndexReport, error) {
	isolated.T.Helper()
	out, failed := isolated.Run(isolated.T.Context(), append([]string{"admin", "index", "check", "--json", "--as=test"}, flags...)...)
	var report IndexReport
	_, printed, found := strings.Cut(out, "{")
	require.True(isolated.T, found, "%s %v", out, failed)
	require.NoError(isolated.T, json.NewDecoder(strings.NewReader("{"+printed)).Decode(&report), out)
	return report, failed
}

// CountingLetters is an embedding model over HTTP whose vectors count letters; another value of
// model makes it another model, with other vectors.
func CountingLetters(model *atomic.Int32) http.Handler {
	return embedder.Handler(func(text string) []float64 {
		vector := make([]float64, 32)
		for _, letter := range text {
			vector[letter*(1+2*model.Load())%32]++
		}
		return vector
	})
}
