package suggest_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/suggest"
)

func topReasons(candidates ...[]suggest.Candidate) []string {
	return suggest.Decide(join(candidates...), at()).Primary.TopReasons
}

// direction returns the unit vector that stands at this cosine to the first axis.
func direction(cosine float64) func(*suggest.Candidate) {
	return func(c *suggest.Candidate) {
		c.Review = []float32{float32(cosine), float32(math.Sqrt(1 - cosine*cosine))}
	}
}

func TestReasonsStandByTheWeightOfWhoGivesThem(t *testing.T) {
	require.Equal(t, []string{"The cap is missing!", "No notice period", "Fees are unclear."}, topReasons(
		votes(1, "a", false, saying("Fees are unclear."), likeness(0.9)),
		votes(2, "b", false, saying(" no notice period. "), likeness(0.7)),
		votes(1, "c", false, saying("No notice period"), likeness(0.75)),
		votes(4, "d", false, saying("The cap is missing! Please add one.")),
		votes(1, "e", false, saying("A typo."), likeness(0.35)),
		votes(3, "f", false, saying(" \n")),
	))
}

func TestReasonsOnTheOtherSideAreTheirs(t *testing.T) {
	result := suggest.Decide(join(votes(3, "a", true, saying("Good.")), votes(2, "r", false, saying("Bad."))), at())
	require.Equal(t, []string{"Good."}, result.Primary.TopReasons)
	require.Equal(t, []string{"Bad."}, result.Conflict.TopReasons)
}

func TestReasonsOfNearVectorsAreOne(t *testing.T) {
	heavy := votes(1, "a", true, saying("The cap is there."), likeness(0.9), direction(1))
	require.Equal(t, []string{"The cap is there."}, topReasons(heavy, votes(1, "b", true, saying("It has a cap."), direction(0.901))))
	require.Len(t, topReasons(heavy, votes(1, "b", true, saying("It has a cap."), direction(0.899))), 2)
	require.Len(t, topReasons(heavy, votes(1, "b", true, saying("It has a cap."))), 2, "one without vector is compared by its words")

	other := votes(1, "b", true, saying("It has a cap."))
	other[0].Review = []float32{1, 0, 0}
	require.Len(t, topReasons(heavy, other), 2, "vectors of two models are not compared")
}

func TestReasonsAreFirstSentences(t *testing.T) {
	for reasoning, want := range map[string]string{
		"1. The cap of Sec. 4.2 is missing. Add it.": "The cap of Sec. 4.2 is missing.",
		"!!! Add a cap. Now.":                        "Add a cap.",
		"👍":                                          "👍",
		"Line one\nline two. Line three.":            "Line one\nline two.",
		strings.Repeat("ä", 201):                     strings.Repeat("ä", 200),
		strings.Repeat("b", 199) + " cd":             strings.Repeat("b", 199),
	} {
		require.Equal(t, []string{want}, topReasons(votes(2, "a", true, saying(reasoning))))
	}
}

func TestReasonsOfEqualWeightStandByTheirRecords(t *testing.T) {
	var candidates []suggest.Candidate
	for _, name := range []string{"h", "b", "e", "a", "g", "c", "f", "d"} {
		candidates = append(candidates, votes(1, name, true, saying("Said by "+name))...)
	}
	require.Equal(t, []string{"Said by a", "Said by b", "Said by c"}, topReasons(candidates))
}

func TestReasonsWithoutWordsAreComparedAsTheyStand(t *testing.T) {
	require.Equal(t, []string{"👍", "🎉"}, topReasons(votes(2, "a", true, saying("👍 ")), votes(1, "b", true, saying("🎉"))))
}

func TestASentenceIsGivenOnce(t *testing.T) {
	require.Equal(t, []string{"Approved.", "Fine."}, topReasons(
		votes(2, "a", true, saying("Approved. The cap is there.")),
		votes(2, "b", true, saying("Approved. Fees are clear.")),
		votes(1, "c", true, saying("Fine.")),
	))
}
