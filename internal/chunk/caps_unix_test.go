//go:build unix

package chunk_test

import (
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/chunk"
)

// processorTime is what this process has used so far.
func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var used syscall.Rusage
	require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return time.Duration(used.Utime.Nano())
}

// The time for eight times the text is that of eight texts, with room for what else
// a process does; with the square of it, it would be that of sixty-four.
func TestTheTimeOfSplittingGrowsWithTheText(t *testing.T) {
	const short, times, room, tries = 64 << 10, 8, 3, 5
	took := func(text string) time.Duration {
		began := processorTime(t)
		chunk.Split(text)
		return processorTime(t) - began
	}
	for name, text := range oddTexts {
		t.Run(name, func(t *testing.T) {
			one, many := text(short), text(short*times)
			base := took(one)
			for try := 1; ; try++ {
				base = max(min(base, took(one)), 8*time.Millisecond)
				if long := took(many); long <= base*times*room {
					return
				} else if try == tries {
					require.Fail(t, "the time grows faster than the text", "%s for one, %s for %d", base, long, times)
				}
			}
		})
	}
}
