package kit

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/stretchr/testify/require"
)

// IndexReport is what `redline admin index check` prints.
type IndexReport struct{ Workspaces, Versions, Items, Judgments, Missing, Surplus, Fixed int }

// CheckIndex compares index and rows; flags are further words of the command.
func (isolated *IsolatedStack) CheckIndex(flags ...string) (IndexReport, error) {
	isolated.T.Helper()
	out, failed := isolated.Run(isolated.T.Context(), append([]string{"admin", "index", "check", "--json", "--as=story"}, flags...)...)
	var report IndexReport
	_, printed, found := strings.Cut(out, "{")
	require.True(isolated.T, found, "%s %v", out, failed)
	require.NoError(isolated.T, json.NewDecoder(strings.NewReader("{"+printed)).Decode(&report), out)
	return report, failed
}

// CountingLetters answers with vectors that count letters.
func CountingLetters(model *atomic.Int32) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct{ Input []string }
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		data := make([]map[string]any, len(asked.Input))
		for i, text := range asked.Input {
			vector := make([]float64, 32)
			for _, letter := range text {
				vector[letter*(1+2*model.Load())%32]++
			}
			data[i] = map[string]any{"index": i, "embedding": vector}
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"data": data})
	})
}
