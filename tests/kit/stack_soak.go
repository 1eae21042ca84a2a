package kit

import (
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	// usualKills belong to every run of the tests.
	usualKills = 10
)

// Kills is how many processes are killed; REDLINE_SOAK sets it.
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
