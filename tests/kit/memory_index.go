package kit

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

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

// Weaviate asks the index itself. A collection that is gone, since it was
// replaced meanwhile, leaves into as it is.
func Weaviate(t *testing.T, method, path string, into any) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, "http://"+Shared.Env["REDLINE_WEAVIATE_ADDR"]+"/v1/"+path, nil)
	require.NoError(t, err)
	answer, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	if answer.StatusCode == http.StatusUnprocessableEntity && strings.Contains(string(text), "class not found") {
		return
	}
	require.Equal(t, http.StatusOK, answer.StatusCode, "%s", text)
	if into != nil {
		require.NoError(t, json.Unmarshal(text, into))
	}
}

// Collections are those in which the test's workspace has objects.
func Collections(env *Env) []string {
	env.T.Helper()
	var schema struct{ Classes []struct{ Class string } }
	Weaviate(env.T, http.MethodGet, "schema", &schema)
	var found []string
	for _, c := range schema.Classes {
		var tenants []struct{ Name string }
		Weaviate(env.T, http.MethodGet, "schema/"+c.Class+"/tenants", &tenants)
		for _, tenant := range tenants {
			if tenant.Name == env.Workspace.ID {
				found = append(found, c.Class)
			}
		}
	}
	return found
}
