package leaves

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFiguresOfABenchmark(t *testing.T) {
	f := &figures{printed: []byte("goos: linux\nBenchmarkScope-2   \t       3\t2512345678 ns/op\t        52.9 peak-MiB\t       40.5 bare-pages/s\n")}
	require.InDelta(t, 2512345678, f.of("ns/op"), 0)
	require.InDelta(t, 52.9, f.of("peak-MiB"), 0)
	require.NoError(t, f.missing)
	require.Zero(t, f.of("pages/s"), "another unit ends so")
	require.Error(t, f.missing)
}
