package labelled_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tools/calibrate/labelled"
)

func TestSituationsAreEnoughInBothHalvesAndDistinct(t *testing.T) {
	count := map[labelled.Kind][2]int{}
	ids := unique{}
	var judgments []labelled.Judgment
	var queries []string
	for _, s := range sets(t).Situations {
		ids.add(t, s.ID)
		halves := count[s.Kind]
		halves[s.Half()]++
		count[s.Kind] = halves
		queries = append(queries, s.Query)
		judgments = append(judgments, s.History...)
		assert.GreaterOrEqual(t, len(s.History), 4, s.ID)
		assert.LessOrEqual(t, len(s.History), 12, s.ID)
	}
	for _, kind := range labelled.Kinds {
		require.Equal(t, 25, count[kind][labelled.Tuning]+count[kind][labelled.Proof], kind)
		require.GreaterOrEqual(t, min(count[kind][labelled.Tuning], count[kind][labelled.Proof]), 10, kind)
	}
	requireDistinctContents(t, judgments)
	requireDistinct(t, append(queries, contents(judgments)...))
}

func contents(judgments []labelled.Judgment) []string {
	texts := make([]string, len(judgments))
	for i, j := range judgments {
		texts[i] = j.Content
	}
	return texts
}

// votes are the related judgments by decision: one of each reviewer on each document, the
// newest.
func votes(s labelled.Situation) map[string]map[[2]string]labelled.Judgment {
	newest := map[[2]string]labelled.Judgment{}
	for _, j := range s.History {
		key := [2]string{j.Reviewer, j.Document}
		if of, ok := newest[key]; j.Related && (!ok || j.AgeDays < of.AgeDays) {
			newest[key] = j
		}
	}
	sides := map[string]map[[2]string]labelled.Judgment{"approve": {}, "reject": {}}
	for key, j := range newest {
		sides[j.Decision][key] = j
	}
	return sides
}

// weight is what votes weigh, were all equally near: half of it after 180 days, times
// confidence, and half for an agent.
func weight(votes map[[2]string]labelled.Judgment) (sum float64) {
	for _, j := range votes {
		w := math.Pow(0.5, float64(j.AgeDays)/180) * j.Confidence
		if j.Agent {
			w /= 2
		}
		sum += w
	}
	return sum
}

func TestSituationsAreOfTheirKind(t *testing.T) {
	for _, s := range sets(t).Situations {
		t.Run(s.ID, func(t *testing.T) {
			sides := votes(s)
			approve, reject := sides["approve"], sides["reject"]
			share := weight(approve) / (weight(approve) + weight(reject))
			switch s.Kind {
			case labelled.Unknown:
				require.Empty(t, approve)
				require.Empty(t, reject)
			case labelled.Split:
				require.GreaterOrEqual(t, min(len(approve), len(reject)), 2)
				require.Greater(t, min(share, 1-share), 0.35)
			case labelled.Approve:
				require.GreaterOrEqual(t, len(approve), 2)
				require.Greater(t, share, 0.75)
			case labelled.Reject:
				require.GreaterOrEqual(t, len(reject), 2)
				require.Less(t, share, 0.25)
			}
		})
	}
}
