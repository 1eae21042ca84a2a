package labelled_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tools/calibrate/labelled"
)

func TestPracticesAreClearAndFromSeveralPeople(t *testing.T) {
	practices := sets(t).Practices
	require.Len(t, practices, 20)
	ids := unique{}
	halves := map[labelled.Half]int{}
	for _, p := range practices {
		ids.add(t, p.ID)
		halves[p.Half()]++
		assert.GreaterOrEqual(t, len(p.Judgments), 6, p.ID)
		assert.LessOrEqual(t, len(p.Judgments), 10, p.ID)
		reviewers, documents, agreeing := map[string]bool{}, unique{}, 0
		for _, j := range p.Judgments {
			documents.add(t, j.Document)
			reviewers[j.Reviewer] = true
			if j.Decision == p.Decision {
				agreeing++
			}
		}
		assert.GreaterOrEqual(t, len(reviewers), 3, p.ID)
		assert.GreaterOrEqual(t, 4*agreeing, 3*len(p.Judgments), p.ID)
	}
	require.GreaterOrEqual(t, min(halves[labelled.Tuning], halves[labelled.Proof]), 8)
}

func TestNoiseIsInBothHalvesAndDistinctFromThePractices(t *testing.T) {
	s := sets(t)
	require.Len(t, s.Noise, 150)
	ids := unique{}
	halves := map[labelled.Half]int{}
	all := s.Noise
	for _, j := range s.Noise {
		ids.add(t, j.ID)
		halves[labelled.HalfOf(j.ID)]++
		assert.NotEmpty(t, j.ContentType, j.ID)
	}
	for _, p := range s.Practices {
		all = append(all, p.Judgments...)
	}
	require.GreaterOrEqual(t, min(halves[labelled.Tuning], halves[labelled.Proof]), 60)
	requireDistinctContents(t, all)
}
