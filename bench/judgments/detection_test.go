package judgments

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFiguresOfABenchmark(t *testing.T) {
	const printed = "goos: linux\nBenchmarkScope-2   \t       3\t2512345678 ns/op\t        52.9 peak-MiB\t         4.000 patterns\nPASS\n"
	took, err := reported(printed, "ns/op")
	require.NoError(t, err)
	require.InDelta(t, 2512345678, took, 0)
	memory, err := reported(printed, "peak-MiB")
	require.NoError(t, err)
	require.InDelta(t, 52.9, memory, 0)
	_, err = reported("PASS\n", "ns/op")
	require.Error(t, err)
}
