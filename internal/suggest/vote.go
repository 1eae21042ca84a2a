package suggest

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"
)

// vote is the judgment that stands for one reviewer about one thing.
type vote struct {
	Candidate
	weight float64
}

const (
	// alike is how much less than a reviewer's judgment of a group that is most like the
	// question another one may be like it and still be about the same point: approvals and
	// rejections of one thing differ by what is said of it.
	alike = 0.15
	// halfLife is the age, in days, at which a vote weighs half of a new one.
	halfLife = 180
	// agentWeight is what an agent's vote weighs beside a human's.
	agentWeight = 0.5
)

// hair is the part of a number that rounding may take from it: what should be exactly
// a limit or exactly equal is taken for it within this.
const hair = 1e-9

// atLeast reports whether a reaches the limit.
func atLeast(a, limit float64) bool { return a >= limit*(1-hair) }

// voter is a reviewer with what one vote is about: a group, or a record by itself.
type voter struct {
	reviewer      string
	agent         bool
	group, record string
}

func voterOf(c Candidate) voter {
	of := voter{reviewer: c.ReviewerID, agent: c.Agent, group: c.Group}
	if c.Group == "" {
		of.record = c.RecordID
	}
	return of
}

// related returns the candidates that have to do with the question, the others, and the margin
// of the Result. From the nearest on each has to be nearer than the nearest of those from it
// outwards would be by chance, were they all unrelated; with the first that is not they
// end. So what is near does not count among what is there by chance, and one more that is
// near pushes no other out.
func related(candidates []Candidate, c Circumstances) (near, others []Candidate, margin float64) {
	near = slices.SortedFunc(slices.Values(candidates), func(a, b Candidate) int {
		return cmp.Or(cmp.Compare(b.Likeness, a.Likeness), strings.Compare(a.RecordID, b.RecordID))
	})
	above := func(i int) float64 { return near[i].Likeness - c.Thresholds.floor(c.Among-i) }
	if margin = -1; len(near) >= fewestVotes {
		margin = above(fewestVotes - 1)
	}
	counted := 0
	for counted < len(near) && above(counted) >= 0 {
		counted++
	}
	return near[:counted], near[counted:], margin
}

// cast takes one vote for each reviewer and group out of the related candidates: of those
// within 0.15 of the one most like the question, the newest. The votes come in the order of
// their records.
func cast(related []Candidate, c Circumstances) []vote {
	groups := map[voter][]Candidate{}
	for _, candidate := range related {
		of := voterOf(candidate)
		groups[of] = append(groups[of], candidate)
	}
	votes := make([]vote, 0, len(groups))
	for _, group := range groups {
		last := latest(group)
		votes = append(votes, vote{Candidate: last, weight: weightOf(last, c)})
	}
	slices.SortFunc(votes, func(a, b vote) int { return strings.Compare(a.RecordID, b.RecordID) })
	return votes
}

// latest returns the newest of the candidates within 0.15 of the one most like the question.
// Of two from the same moment it is the one with the greater id, which was made later.
func latest(group []Candidate) Candidate {
	best := slices.MaxFunc(group, func(a, b Candidate) int { return cmp.Compare(a.Likeness, b.Likeness) })
	near := slices.DeleteFunc(slices.Clone(group), func(c Candidate) bool { return !atLeast(c.Likeness, best.Likeness-alike) })
	return slices.MaxFunc(near, func(a, b Candidate) int {
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), strings.Compare(a.RecordID, b.RecordID))
	})
}

// weightOf is what a vote counts:
//
//	likeness × 0.5^(age in days / 180) × confidence × (1 for a human, 0.5 for an agent)
//
// What was made in the future is new.
func weightOf(of Candidate, c Circumstances) float64 {
	const day = 24 * time.Hour
	age := max(0, float64(c.Now.Sub(of.CreatedAt))/float64(day))
	weight := of.Likeness * math.Exp2(-age/halfLife) * of.Confidence
	if of.Agent {
		weight *= agentWeight
	}
	return weight
}
