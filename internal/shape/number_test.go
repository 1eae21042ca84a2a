package shape_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/shape"
)

func TestNumbersCompareExactly(t *testing.T) {
	rising := []string{"-1e999999999999999999999", "-2", "-1.5", "-1e-400", "0", "1e-400", "0.1", "1", "1.0000000000000000000001", "9007199254740993", "1e999999999999999999999"}
	for i, a := range rising {
		for j, b := range rising {
			order := shape.Number(a).Compare(shape.Number(b))
			require.Equal(t, i < j, order < 0, "%s and %s", a, b)
			require.Equal(t, i > j, order > 0, "%s and %s", a, b)
		}
	}
	for _, same := range [][2]string{{"2", "2.0"}, {"-0", "0e7"}, {"100", "1E+2"}, {"0.010", "1e-2"}} {
		require.Zero(t, shape.Number(same[0]).Compare(shape.Number(same[1])), same)
	}
}
