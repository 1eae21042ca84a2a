package kit

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit/client"
)

// Scrape reads the metrics of the processes with these operations listeners and returns for
// each series, name and labels as they are written, the sum over all of them.
func Scrape(t *testing.T, listeners ...string) map[string]float64 {
	t.Helper()
	found := map[string]float64{}
	for _, address := range listeners {
		reply, err := client.Public(address).Do(t.Context(), http.MethodGet, "/metrics", nil, nil)
		require.NoError(t, err)
		for line := range strings.Lines(string(reply.Body)) {
			at := strings.LastIndexByte(line, ' ')
			if strings.HasPrefix(line, "#") || at < 0 {
				continue
			}
			value, err := strconv.ParseFloat(strings.TrimSpace(line[at:]), 64)
			require.NoError(t, err, line)
			found[line[:at]] += value
		}
	}
	return found
}
