package suggest_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/suggest"
)

// thresholds are those that the known answers were worked out with. Among few judgments the
// floor is at 0.30.
var thresholds = suggest.Thresholds{Spread: 0.30 / math.Sqrt(2*math.Log(5)), Strong: 0.65, SameReason: 0.90}

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

const day = 24 * time.Hour

// at is the moment of the question, with the usual thresholds.
func at() suggest.Circumstances {
	return suggest.Circumstances{Now: now, Thresholds: thresholds}
}

// votes returns n judgments of different humans on different documents, made today at 0.80
// with a confidence of 0.95; the changes are made to each of them.
func votes(n int, name string, approves bool, changes ...func(*suggest.Candidate)) []suggest.Candidate {
	var made []suggest.Candidate
	for i := range n {
		c := suggest.Candidate{
			RecordID: fmt.Sprintf("%s-%02d", name, i), ReviewerID: fmt.Sprintf("%s-%02d", name, i), Group: fmt.Sprintf("document-%02d", i),
			Approves: approves, Likeness: 0.80, Confidence: 0.95, CreatedAt: now,
		}
		for _, change := range changes {
			change(&c)
		}
		made = append(made, c)
	}
	return made
}

func likeness(s float64) func(*suggest.Candidate) {
	return func(c *suggest.Candidate) { c.Likeness = s }
}

func confidence(s float64) func(*suggest.Candidate) {
	return func(c *suggest.Candidate) { c.Confidence = s }
}

func aged(age time.Duration) func(*suggest.Candidate) {
	return func(c *suggest.Candidate) { c.CreatedAt = now.Add(-age) }
}

func agent(c *suggest.Candidate) { c.Agent = true }

func by(reviewer string) func(*suggest.Candidate) {
	return func(c *suggest.Candidate) { c.ReviewerID = reviewer }
}

func about(group string) func(*suggest.Candidate) {
	return func(c *suggest.Candidate) { c.Group = group }
}

func saying(reasoning string) func(*suggest.Candidate) {
	return func(c *suggest.Candidate) { c.Reasoning = reasoning }
}

func join(parts ...[]suggest.Candidate) []suggest.Candidate {
	var all []suggest.Candidate
	for _, part := range parts {
		all = append(all, part...)
	}
	return all
}

// A sure human vote of today weighs what its likeness is; 0.65 is strong.
func TestConfidenceByHand(t *testing.T) {
	for _, c := range []struct {
		name       string
		candidates []suggest.Candidate
		want       float64
	}{
		// 1 × (1 - 0.5^3) × 1
		{"three humans today", votes(3, "a", true), 0.875},
		// 1 × (1 - 0.5^4) × 1 = 0.9375
		{"a half is rounded up", votes(4, "a", true), 0.938},
		// exactly strong, entirely sure: each counts as one
		{"exactly strong", votes(2, "a", false, likeness(0.65), confidence(1)), 0.75},
		// half of strong: n = 2 × 0.5; 0.5 × 0.325 / 0.65 = 0.25
		{"half as near", votes(2, "a", true, likeness(0.325), confidence(1)), 0.25},
		// 0.5 × 0.5^1 = 0.25: n = 2 × 0.5; 0.5
		{"of 180 days ago", votes(2, "a", true, likeness(0.65), confidence(1), aged(180*day)), 0.5},
		{"by agents", votes(2, "a", true, likeness(0.65), confidence(1), agent), 0.5},
		{"half sure", votes(2, "a", true, likeness(0.65), confidence(0.5)), 0.5},
		// 3/4 × (1 - 0.5^3) × 1 = 0.65625
		{"one against three", join(votes(3, "a", true), votes(1, "r", false)), 0.656},
		// weights 0.65 and 0.325: n = 1.5, 1 - 0.5^1.5 = 0.64645; mean (0.65 × 0.65 + 0.325 × 0.325) / 0.975 = 0.54167,
		// by strong 0.83333; 0.539
		{
			"the mean is that of the weights",
			join(votes(1, "a", true, likeness(0.65), confidence(1)), votes(1, "b", true, likeness(0.325), confidence(1))), 0.539,
		},
		{"of the future as of today", votes(2, "a", true, likeness(0.65), confidence(0.5), aged(-180*day)), 0.5},
		{"without weight", votes(3, "a", true, confidence(0)), 0},
	} {
		primary := suggest.Decide(c.candidates, at()).Primary
		require.NotNil(t, primary, c.name)
		require.InDelta(t, c.want, primary.Confidence, 0, c.name)
	}
}

func TestTooLittleAdvisesNothing(t *testing.T) {
	for name, candidates := range map[string][]suggest.Candidate{
		"none":                         nil,
		"one":                          votes(1, "a", true),
		"one on each side":             join(votes(1, "a", true), votes(1, "r", false)),
		"one that outweighs two":       join(votes(1, "a", true), votes(2, "r", false, likeness(0.35))),
		"a thousand that are far":      votes(1000, "a", true, likeness(0.299)),
		"one reviewer on one document": votes(10, "r", false, by("robin"), about("contract")),
		"one agent on one document":    votes(10, "r", false, by("bot"), about("contract"), agent),
	} {
		require.Nil(t, suggest.Decide(candidates, at()).Primary, name)
	}
}

func TestExactlyTheFloorIsAVote(t *testing.T) {
	floor := thresholds.Spread * math.Sqrt(2*math.Log(5))
	result := suggest.Decide(join(votes(1, "a", true), votes(1, "b", true, likeness(floor))), at())
	require.Equal(t, 2, result.Primary.BasedOn)
	require.InDelta(t, 0.631, result.Primary.Confidence, 0) // n = 1 + 0.3 × 0.95 / 0.65, mean near strong
	require.InDelta(t, 0, result.Margin, 0)
}

func TestFiveAgainstFiveShowsBothSides(t *testing.T) {
	result := suggest.Decide(join(votes(5, "a", true, aged(time.Hour)), votes(5, "r", false, aged(time.Hour))), at())
	want := suggest.Side{Confidence: 0.484, BasedOn: 5, UniqueReviewers: 5, TopReasons: []string{}} // 0.5 × (1 - 0.5^5)
	primary, conflict := want, want
	primary.Caveats, conflict.Caveats = []string{"Conflict: 5 approve, 5 reject"}, []string{"Minority view: 5 of 10 judgments"}
	conflict.Approves = true // as equal as can be: the rejections lead
	require.Equal(t, &primary, result.Primary)
	require.Equal(t, &conflict, result.Conflict)
}

func TestWhoLeads(t *testing.T) {
	// 1 × 0.5 and 2 × 0.25, at strong and half as near
	fewer := votes(2, "r", false, likeness(0.65), confidence(1))
	more := votes(4, "a", true, likeness(0.325), confidence(1))
	newer := votes(1, "n", true, aged(-time.Nanosecond))
	for _, c := range []struct {
		name       string
		candidates []suggest.Candidate
		approves   bool
	}{
		{"the heavier, though fewer", join(fewer, more[:3]), false},
		{"of equal weight the more", join(fewer, more), true},
		{"of equally many the newer", join(votes(1, "a", true), newer, votes(2, "r", false)), true},
		{"of equally new the rejections", join(votes(2, "a", true), votes(2, "r", false)), false},
		{"two humans against three agents", join(votes(2, "h", true), votes(3, "m", false, agent)), true},
		{"three agents against one human", join(votes(3, "m", true, agent), votes(1, "h", false)), true},
	} {
		primary := suggest.Decide(c.candidates, at()).Primary
		require.NotNil(t, primary, c.name)
		require.Equal(t, c.approves, primary.Approves, c.name)
	}
}

func TestConflictBeginsAtThirtyPercent(t *testing.T) {
	exactly := suggest.Decide(join(votes(7, "a", true), votes(3, "r", false)), at())
	require.Equal(t, []string{"Conflict: 7 approve, 3 reject"}, exactly.Primary.Caveats)
	require.Equal(t, []string{"Minority view: 3 of 10 judgments"}, exactly.Conflict.Caveats)
	require.InDelta(t, 0.263, exactly.Conflict.Confidence, 0) // 0.3 × (1 - 0.5^3) = 0.2625

	below := suggest.Decide(join(votes(7, "a", true), votes(3, "r", false, confidence(0.9499))), at())
	require.Nil(t, below.Conflict)
	require.Empty(t, below.Primary.Caveats)
	weak := suggest.Decide(join(votes(9, "a", true), votes(2, "r", false, likeness(0.35))), at())
	require.Nil(t, weak.Conflict)
	require.Equal(t, 9, weak.Primary.BasedOn)
	single := suggest.Decide(join(votes(2, "a", true), votes(1, "r", false)), at())
	require.Nil(t, single.Conflict, "a third of the weight, but one vote")
}

func TestAReviewerHasOneVoteAboutAThing(t *testing.T) {
	const robin, contract = "robin", "contract"
	mine := func(name string, approves bool, changes ...func(*suggest.Candidate)) []suggest.Candidate {
		return votes(1, name, approves, append(changes, by(robin), about(contract))...)
	}
	for _, c := range []struct {
		name         string
		mine, others []suggest.Candidate
		approves     bool
		basedOn      int
	}{
		{"the newer of two counts", join(mine("x", false, aged(day)), mine("y", true)), votes(1, "a", true), true, 2},
		{"but not if it is farther", join(mine("x", false, aged(day)), mine("y", true, likeness(0.64))), votes(1, "r", false), false, 2},
		{"0.15 less is still as near", join(mine("x", false, aged(day)), mine("y", true, likeness(0.65))), votes(1, "a", true), true, 2},
		{"the greater id is newer", join(mine("x", false), mine("y", true)), votes(1, "a", true), true, 2},
		{"an agent of that id is another", join(mine("x", true), mine("y", true, agent)), nil, true, 2},
		{"another document is another vote", join(mine("x", true), votes(1, "y", true, by(robin))), nil, true, 2},
		{"without document each record is", votes(2, "x", true, by(robin), about("")), nil, true, 2},
	} {
		primary := suggest.Decide(join(c.mine, c.others), at()).Primary
		require.NotNil(t, primary, c.name)
		require.Equal(t, c.approves, primary.Approves, c.name)
		require.Equal(t, c.basedOn, primary.BasedOn, c.name)
	}
	several := suggest.Decide(join(votes(3, "x", true, by(robin)), votes(1, "y", true, by(robin), agent), votes(1, "z", true)), at()).Primary
	require.Equal(t, 5, several.BasedOn)
	require.Equal(t, 3, several.UniqueReviewers)
}

func TestCaveats(t *testing.T) {
	c := at()
	c.UpdatedSources, c.Unsearched = 2, []suggest.Scope{suggest.Document, suggest.Workspace}
	const old = 183*day + time.Millisecond
	result := suggest.Decide(join(votes(4, "a", true, aged(old)), votes(4, "r", false, aged(2*old))), c)
	require.Equal(t, []string{
		"Conflict: 4 approve, 4 reject",
		"Knowledge updated in the last 48 hours: 2 source(s)",
		"Stale: more than 70% of the evidence is older than 6 months",
		"Partial: document was not searched in time",
		"Partial: apiKey was not searched in time",
	}, result.Primary.Caveats)
	require.Equal(t, []string{"Minority view: 4 of 8 judgments"}, result.Conflict.Caveats)
}

func TestStaleIsMoreThanSeventyPercentOfTheLeadingSide(t *testing.T) {
	const limit = 183 * day
	exactly := suggest.Decide(join(votes(7, "a", true, aged(limit+time.Second)), votes(3, "b", true)), at()).Primary
	require.Empty(t, exactly.Caveats)
	over := suggest.Decide(join(votes(8, "a", true, aged(limit+time.Second)), votes(3, "b", true)), at()).Primary
	require.Len(t, over.Caveats, 1)
	onTheDay := suggest.Decide(votes(3, "a", true, aged(limit)), at()).Primary
	require.Empty(t, onTheDay.Caveats)
	othersOld := suggest.Decide(join(votes(3, "a", true), votes(5, "r", false, aged(limit+time.Second), likeness(0.4))), at()).Primary
	require.Empty(t, othersOld.Caveats)
}

func TestLabelsOfScopes(t *testing.T) {
	require.Equal(t, "This document", suggest.Document.Label())
	require.Equal(t, "This organization", suggest.Organization.Label())
	require.Equal(t, "All content", suggest.Workspace.Label())
}

// Among a thousand the nearest that is unrelated is expected at 0.30 × √(ln 1000 / ln 5) = 0.6215.
func TestAmongManyTheFloorIsHigher(t *testing.T) {
	found := join(votes(2, "a", true, likeness(0.65)), votes(1, "b", true, likeness(0.60)), votes(4, "c", true, likeness(0.31)))
	for among, counted := range map[int]int{0: 7, 8: 7, 9: 3, 100: 3, 1000: 2} {
		c := at()
		c.Among = among
		require.Equal(t, counted, suggest.Decide(found, c).Primary.BasedOn, "among %d", among)
	}
	c := at()
	c.Among = 2000
	result := suggest.Decide(found, c)
	require.Nil(t, result.Primary)
	require.InDelta(t, 0.65-0.30*math.Sqrt(math.Log(1999)/math.Log(5)), result.Margin, 1e-9)
}

// What is near does not count among what is there by chance.
func TestNearVotesPushNoOtherOut(t *testing.T) {
	c := at()
	for more := range 500 {
		c.Among = 100 + more
		found := join(votes(2, "a", true, likeness(0.55)), votes(more, "b", true))
		require.Equal(t, 2+more, suggest.Decide(found, c).Primary.BasedOn)
	}
}
