package trial

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestShareOfWhatHolds(t *testing.T) {
	var s share
	require.InDelta(t, 0.5, s.value(0.5), 0, "nothing was counted")
	for _, holds := range []bool{true, false, true, true} {
		s.note(holds)
	}
	require.InDelta(t, 0.75, s.value(0), 0)
}

// Of four things that are, three were found, and two more that are not:
// 2 × 3 / (2 × 3 + 2 + 1).
func TestF1ByHand(t *testing.T) {
	var d detection
	require.Zero(t, d.f1())
	for _, c := range [][2]bool{{true, true}, {true, true}, {true, true}, {false, true}, {true, false}, {true, false}, {false, false}} {
		d.note(c[0], c[1])
	}
	require.InDelta(t, 2.0/3, d.f1(), 1e-12)
}

// (0.2² + 0.6² + 0²) / 3.
func TestBrierScoreByHand(t *testing.T) {
	var b brier
	require.Zero(t, b.value())
	b.note(0.8, true)
	b.note(0.6, false)
	b.note(0, false)
	require.InDelta(t, 0.4/3, b.value(), 1e-12)
}
