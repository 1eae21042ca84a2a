package kit

import (
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// usualKills belong to every run of the long tests: to kill a server and bring it back takes
// up to ten seconds.
const usualKills = 10

// Kills returns how many processes are killed; REDLINE_SOAK sets it.
func Kills(t *testing.T) int {
	t.Helper()
	set := os.Getenv("REDLINE_SOAK")
	if set == "" {
		return usualKills
	}
	n, err := strconv.Atoi(set)
	require.NoError(t, err, "REDLINE_SOAK")
	return n
}
