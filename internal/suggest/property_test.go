package suggest_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/redline-svc/redline/internal/suggest"
)

// likenesses are often equal and often at a limit.
func someLikeness() *rapid.Generator[float64] {
	return rapid.OneOf(rapid.SampledFrom([]float64{0.30, 0.325, 0.65, 0.80, 1}), rapid.Float64Range(0, 1))
}

// some is a candidate whose id is its number; reviewers and groups come often.
func some(number int) *rapid.Generator[suggest.Candidate] {
	return rapid.Custom(func(t *rapid.T) suggest.Candidate {
		return suggest.Candidate{
			RecordID: fmt.Sprintf("jdg_%03d", number), ReviewerID: rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(t, "reviewer"),
			Agent: rapid.Bool().Draw(t, "agent"), Group: rapid.SampledFrom([]string{"", "", "x", "y", "z"}).Draw(t, "group"),
			Approves: rapid.Bool().Draw(t, "approves"), Likeness: someLikeness().Draw(t, "likeness"),
			Confidence: rapid.OneOf(rapid.Just(0.95), rapid.Float64Range(0, 1)).Draw(t, "confidence"),
			CreatedAt:  now.Add(-day * time.Duration(rapid.OneOf(rapid.Just(0), rapid.IntRange(-1, 1000), rapid.Just(50_000)).Draw(t, "age"))),
			Reasoning:  rapid.SampledFrom([]string{"", " ", "Good.", "good", "Too long. Cut it.", "No cap!", "👍"}).Draw(t, "reasoning"),
		}
	})
}

func someCandidates(t *rapid.T) []suggest.Candidate {
	var candidates []suggest.Candidate
	for i := range rapid.IntRange(0, 30).Draw(t, "count") {
		candidates = append(candidates, some(i).Draw(t, "candidate"))
	}
	return candidates
}

func TestTheOrderOfCandidatesChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		candidates := someCandidates(t)
		shuffled := rapid.Permutation(candidates).Draw(t, "shuffled")
		require.Equal(t, suggest.Decide(candidates, at()), suggest.Decide(shuffled, at()))
	})
}

func TestResultsKeepTheirLimits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		result := suggest.Decide(someCandidates(t), at())
		if result.Primary == nil {
			require.Nil(t, result.Conflict)
			return
		}
		for _, side := range []*suggest.Side{result.Primary, result.Conflict} {
			if side == nil {
				continue
			}
			require.GreaterOrEqual(t, side.Confidence, 0.0)
			require.LessOrEqual(t, side.Confidence, 1.0)
			require.GreaterOrEqual(t, side.BasedOn, 2)
			require.LessOrEqual(t, side.UniqueReviewers, side.BasedOn)
			require.LessOrEqual(t, len(side.TopReasons), 3)
			require.NotContains(t, side.TopReasons, "")
		}
		if result.Conflict != nil {
			require.NotEqual(t, result.Primary.Approves, result.Conflict.Approves)
		}
	})
}

// further is a vote of somebody who has none yet, at least as near, sure and new as all
// candidates of its side.
func further(t *rapid.T, candidates []suggest.Candidate, approves bool) suggest.Candidate {
	// Its id may stand anywhere between those of the others.
	more := suggest.Candidate{
		RecordID: fmt.Sprintf("jdg_%03dx", rapid.IntRange(0, len(candidates)).Draw(t, "position")), ReviewerID: "new", Approves: approves,
		Agent: rapid.Bool().Draw(t, "further agent"),
	}
	for _, c := range candidates {
		if c.Approves != approves {
			continue
		}
		more.Likeness, more.Confidence = max(more.Likeness, c.Likeness), max(more.Confidence, c.Confidence)
		if c.CreatedAt.After(more.CreatedAt) {
			more.CreatedAt = c.CreatedAt
		}
	}
	return more
}

func TestAnAgreeingVoteNeverLowersConfidence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		candidates := manyAlike(t)
		before := suggest.Decide(candidates, at()).Primary
		if before == nil {
			return
		}
		after := suggest.Decide(append(candidates, further(t, candidates, before.Approves)), at()).Primary
		require.GreaterOrEqual(t, after.Confidence, before.Confidence)
	})
}

// Confidences that stand where rounding turns, with so many votes that one more adds
// nothing but the error of its sums.
func TestOneMoreOfManyEqualVotesNeverLowersConfidence(t *testing.T) {
	strong := thresholds.Strong
	for half := 0.5005; half < 1; half += 0.007 {
		for _, near := range []float64{half * strong, half * strong / (1 + 1e-9)} {
			before := 0.0
			for n := 50; n < 80; n++ {
				after := suggest.Decide(votes(n, "a", true, likeness(near)), at()).Primary.Confidence
				require.GreaterOrEqual(t, after, before, "%d votes at %v", n, near)
				before = after
			}
		}
	}
}

func TestAnOpposingVoteNeverRaisesConfidence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		candidates := manyAlike(t)
		before := suggest.Decide(candidates, at()).Primary
		if before == nil {
			return
		}
		against := some(rapid.IntRange(0, 999).Draw(t, "number")).Draw(t, "against")
		against.RecordID, against.ReviewerID, against.Approves = against.RecordID+"x", "new", !before.Approves
		after := suggest.Decide(append(candidates, against), at()).Primary
		if after != nil && after.Approves == before.Approves {
			require.LessOrEqual(t, after.Confidence, before.Confidence)
		}
	})
}

// manyAlike returns candidates like any others, and sometimes up to 200 of one kind, whose
// confidence has come as near to its end as numbers can.
func manyAlike(t *rapid.T) []suggest.Candidate {
	candidates := someCandidates(t)
	if !rapid.Bool().Draw(t, "alike") {
		return candidates
	}
	alike := some(0).Draw(t, "one of many")
	candidates = candidates[:min(len(candidates), rapid.IntRange(0, 3).Draw(t, "others"))]
	for i := range rapid.IntRange(1, 200).Draw(t, "copies") {
		alike.RecordID, alike.Group = fmt.Sprintf("jdg_%03dc", i), ""
		candidates = append(candidates, alike)
	}
	return candidates
}
