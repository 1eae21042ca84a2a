package suggest

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// tally is one side of the votes, with the sum of their weights.
type tally struct {
	approves bool
	votes    []vote
	weight   float64
}

func tallyOf(votes []vote, approves bool) tally {
	side := tally{approves: approves}
	for _, v := range votes {
		if v.Approves == approves {
			side.votes = append(side.votes, v)
			side.weight += v.weight
		}
	}
	return side
}

// weigh returns the leading side and the other one: the greater sum of weights leads; if
// they are equal, more votes; then the newer vote; then the rejections.
func weigh(votes []vote) (leading, minority tally) {
	approvals, rejections := tallyOf(votes, true), tallyOf(votes, false)
	if approvals.leads(rejections) {
		return approvals, rejections
	}
	return rejections, approvals
}

func (s tally) leads(other tally) bool {
	switch {
	case !atLeast(s.weight, other.weight) || !atLeast(other.weight, s.weight):
		return s.weight > other.weight
	case len(s.votes) != len(other.votes):
		return len(s.votes) > len(other.votes)
	default:
		return s.newest().After(other.newest())
	}
}

func (s tally) newest() time.Time {
	var newest time.Time
	for _, v := range s.votes {
		if v.CreatedAt.After(newest) {
			newest = v.CreatedAt
		}
	}
	return newest
}

// show returns the side as it is answered, without its caveats.
func (s tally) show(other tally, t Thresholds) *Side {
	return &Side{
		Approves: s.approves, Confidence: s.confidence(other, t), TopReasons: reasons(s.votes, t.SameReason),
		BasedOn: len(s.votes), UniqueReviewers: s.reviewers(),
	}
}

func (s tally) reviewers() int {
	seen := map[voter]bool{}
	for _, v := range s.votes {
		seen[voter{reviewer: v.ReviewerID, agent: v.Agent}] = true
	}
	return len(seen)
}

// confidence returns how sure the side is beside the other one, to three decimals:
//
//	share of the weight × (1 - 0.5^n) × min(1, mean likeness / strong)
//
// n is the number of votes in which one that is far, old or unsure counts in part. Three
// humans today at 0.80, each 0.95 sure and nobody against them: 1 × (1 - 0.5^3) × 1 = 0.875.
func (s tally) confidence(other tally, t Thresholds) float64 {
	if s.weight == 0 {
		return 0
	}
	// Written so, each step of the share rises with the own weight and falls with the
	// other, so that no rounding turns that around.
	share := 1 / (1 + other.weight/s.weight)
	sure := share * (1 - math.Exp2(-s.count(t))) * min(1, s.likeness()/t.Strong)
	return math.Round(sure*1000*(1+hair)) / 1000
}

// count is the sum over the votes of min(1, weight / strong): a new and sure
// human vote at strong counts as a whole one.
func (s tally) count(t Thresholds) float64 {
	var count float64
	for _, v := range s.votes {
		count += min(1, v.weight/t.Strong)
	}
	return count
}

// likeness is the mean of the votes, by their weights. It is taken above the lowest, so
// that the mean of equal ones is exactly theirs, however many they are.
func (s tally) likeness() float64 {
	lowest := slices.MinFunc(s.votes, byLikeness).Likeness
	var above float64
	for _, v := range s.votes {
		above += v.weight * (v.Likeness - lowest)
	}
	return lowest + above/s.weight
}

func byLikeness(a, b vote) int { return cmp.Compare(a.Likeness, b.Likeness) }
