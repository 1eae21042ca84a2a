//go:build unix

package embed_test

import (
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/embed"
	"github.com/redline-svc/redline/internal/embed/embedtest"
)

// mostMemory is the largest memory that the process has held, in bytes.
func mostMemory(t *testing.T) int64 {
	t.Helper()
	var usage syscall.Rusage
	require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	if runtime.GOOS == "darwin" {
		return int64(usage.Maxrss) //nolint:unconvert // of 32 bits on some machines
	}
	return int64(usage.Maxrss) * 1024 //nolint:unconvert // likewise
}

// A full window's states are 256 times 384 numbers of four bytes: 400 runs that
// kept theirs would hold 150 MiB more.
func TestMemoryDoesNotGrowWithTheTexts(t *testing.T) {
	model := embedtest.Local(t)
	window := strings.Repeat("storm ", 250)
	run := func(times int) {
		texts := make([]string, times)
		for i := range texts {
			texts[i] = window
		}
		_, err := model.Embed(t.Context(), texts, embed.Query)
		require.NoError(t, err)
	}
	run(20)
	before := mostMemory(t)
	run(400)
	require.Less(t, mostMemory(t)-before, int64(75<<20))
}
