package trial

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/suggest"
	"github.com/redline-svc/redline/tools/calibrate/labelled"
)

// side is what one side advises, with that confidence.
func side(approves bool, confidence float64) *suggest.Side {
	return &suggest.Side{Approves: approves, Confidence: confidence}
}

func TestEachKindHasItsRightAnswer(t *testing.T) {
	var nothing suggest.Result
	approve, reject := suggest.Result{Primary: side(true, 0.8)}, suggest.Result{Primary: side(false, 0.8)}
	split := suggest.Result{Primary: side(true, 0.5), Conflict: side(false, 0.3)}
	for kind, want := range map[labelled.Kind]suggest.Result{
		labelled.Approve: approve, labelled.Reject: reject, labelled.Split: split, labelled.Unknown: nothing,
	} {
		for of, given := range map[labelled.Kind]suggest.Result{
			labelled.Approve: approve, labelled.Reject: reject, labelled.Split: split, labelled.Unknown: nothing,
		} {
			require.Equal(t, kind == of, right(kind, given), "%s answered by that of %s", kind, of)
		}
		require.True(t, right(kind, want))
	}
}

// Five situations: an approval known for one, a rejection taken for an approval, a split that
// shows and one that does not, and an unknown one that is answered.
func TestSuggestionsByHand(t *testing.T) {
	var s suggested
	s.note(asked{kind: labelled.Approve}, suggest.Result{Primary: side(true, 0.9)})
	s.note(asked{kind: labelled.Reject}, suggest.Result{Primary: side(true, 0.6), Conflict: side(false, 0.2)})
	s.note(asked{kind: labelled.Split}, suggest.Result{Primary: side(false, 0.5), Conflict: side(true, 0.4)})
	s.note(asked{kind: labelled.Split}, suggest.Result{})
	s.note(asked{kind: labelled.Unknown}, suggest.Result{Primary: side(true, 0.2)})
	s.note(asked{kind: labelled.Unknown}, suggest.Result{})
	figures := s.figures()
	require.InDelta(t, 3.0/6, figures[0], 1e-12, "the right kind: the approval, one split, one unknown")
	require.InDelta(t, 1.0/2, figures[1], 1e-12, "null on one unknown of two")
	require.InDelta(t, 2.0/4, figures[2], 1e-12, "one conflict right, one wrong, one missed")
	require.InDelta(t, (0.01+0.36+0.25+0.04)/4, figures[3], 1e-12, "over four with a primary")
}
