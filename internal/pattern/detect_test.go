package pattern_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/redline-svc/redline/internal/pattern"
)

// toward is the unit vector in that direction; two of them are 1 - cos of the angle
// between them apart, 0.134 at 30 degrees, 0.5 at 60, 1 at 90.
func toward(degrees float64) []float32 {
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	return []float32{float32(cos), float32(sin)}
}

// approval by a reviewer about something in that direction, the nth in time.
func approval(n int, reviewer string, degrees float64) pattern.Member {
	return pattern.Member{
		RecordID: fmt.Sprintf("jdg_%02d", n), ReviewerID: reviewer, OrganizationID: "acme", Approves: true,
		CreatedAt: time.UnixMilli(int64(n)), Review: toward(degrees),
	}
}

func rejection(n int, reviewer string, degrees float64) pattern.Member {
	m := approval(n, reviewer, degrees)
	m.Approves = false
	return m
}

// because gives judgments a reasoning.
func because(reasoning string, members ...pattern.Member) []pattern.Member {
	for i := range members {
		members[i].Reasoning = reasoning
	}
	return members
}

// about gives judgments a document.
func about(document string, members ...pattern.Member) []pattern.Member {
	for i := range members {
		members[i].DocumentID = document
	}
	return members
}

func detect(t require.TestingT, scope pattern.Scope, members ...pattern.Member) []pattern.Pattern {
	found, err := new(pattern.Detector).Detect(context.Background(), members, scope)
	require.NoError(t, err)
	return found
}

// one is the only pattern among judgments.
func one(t require.TestingT, members ...pattern.Member) pattern.Pattern {
	found := detect(t, pattern.Scope{}, members...)
	require.Len(t, found, 1)
	return found[0]
}

// three people approve like things.
func three() []pattern.Member {
	return []pattern.Member{approval(1, "ann", 0), approval(2, "bob", 10), approval(3, "cem", 20)}
}

func TestThreePeopleJudgingLikeItemsAlikeAreAPattern(t *testing.T) {
	require.Equal(t, pattern.Pattern{
		Approve: true, Members: []string{"jdg_01", "jdg_02", "jdg_03"}, Votes: 3, Agreeing: 3, UniqueReviewers: 3,
		Confidence: one(t, three()...).Confidence, EnforcementRate: 1,
		Description: "Usually approved (3 of 3)", Category: "general", Top: []string{"jdg_02", "jdg_01", "jdg_03"},
	}, one(t, three()...))
	require.Empty(t, detect(t, pattern.Scope{}, three()[:2]...), "two are none")
	require.Empty(t, detect(t, pattern.Scope{}), "none are none")
}

func TestTenByOnePersonOnOneDocumentAreNoPattern(t *testing.T) {
	var members []pattern.Member
	for n := range 10 {
		members = append(members, approval(n, "ann", 0))
	}
	p := one(t, members...)
	require.Equal(t, []int{10, 1}, []int{p.Votes, p.UniqueReviewers}, "on ten things they are ten votes")
	require.Empty(t, detect(t, pattern.Scope{}, about("contract", members...)...))
}

func TestOneVotePerReviewerAndDocument(t *testing.T) {
	others := []pattern.Member{approval(8, "bob", 0), approval(9, "cem", 0)}
	mine := []pattern.Member{approval(3, "ann", 0), rejection(1, "ann", 0), rejection(2, "ann", 0)}
	all := func() []pattern.Member { return append(slices.Clone(others), mine...) }

	about("contract", mine...)
	p := one(t, all()...)
	require.Equal(t, []int{3, 3}, []int{p.Votes, p.Agreeing}, "the newest holds")
	require.Len(t, p.Members, 5, "the others are members all the same")

	mine[0].DocumentID = "letter"
	p = one(t, all()...)
	require.Equal(t, []int{4, 3}, []int{p.Votes, p.Agreeing}, "of the contract the newest is a rejection now")
}

func TestVotesAreAboutDocumentsThenThreadsThenRecords(t *testing.T) {
	votes := func(edit func(n int, m *pattern.Member)) int {
		var members []pattern.Member
		for n := range 6 {
			m := approval(n, "ann", 0)
			edit(n, &m)
			members = append(members, m)
		}
		members = append(members, approval(7, "bob", 0), approval(8, "cem", 0))
		return one(t, members...).Votes - 2
	}
	require.Equal(t, 6, votes(func(int, *pattern.Member) {}))
	require.Equal(t, 1, votes(func(_ int, m *pattern.Member) { m.ThreadID = "t" }))
	require.Equal(t, 1, votes(func(n int, m *pattern.Member) { m.DocumentID, m.ThreadID = "d", strconv.Itoa(n) }), "a thread in a document does not count")
	require.Equal(t, 2, votes(func(n int, m *pattern.Member) { m.DocumentID, m.OrganizationID = "d", strconv.Itoa(n%2) }), "one id in two organizations is two documents")
	require.Equal(t, 2, votes(func(n int, m *pattern.Member) {
		if m.DocumentID = "d"; n > 2 {
			m.DocumentID, m.ThreadID = "", "d"
		}
	}), "a thread is no document, whatever its id")
}

func TestEquallyNewVotesCountByTheirIds(t *testing.T) {
	members := about("contract", approval(1, "ann", 0), rejection(2, "ann", 0))
	members[0].CreatedAt = members[1].CreatedAt
	members = append(members, rejection(3, "bob", 0), rejection(4, "cem", 0))
	require.Equal(t, 3, one(t, members...).Agreeing)
}

func TestThreeQuartersMustAgree(t *testing.T) {
	for _, c := range []struct {
		approving, rejecting int
		want                 string
	}{
		{3, 1, "Usually approved (3 of 4)"},
		{1, 3, "Usually rejected (3 of 4)"},
		{2, 1, ""},
		{3, 2, ""},
		{5, 2, ""},
		{6, 2, "Usually approved (6 of 8)"},
		{2, 2, ""},
		{0, 3, "Usually rejected (3 of 3)"},
	} {
		var members []pattern.Member
		for n := range c.approving {
			members = append(members, approval(n, "ann", 0))
		}
		for n := range c.rejecting {
			members = append(members, rejection(50+n, "bob", 0))
		}
		var descriptions []string
		for _, p := range detect(t, pattern.Scope{}, members...) {
			descriptions = append(descriptions, p.Description)
			require.InDelta(t, float64(p.Agreeing)/float64(c.approving+c.rejecting), p.EnforcementRate, 0)
		}
		require.Equal(t, c.want, strings.Join(descriptions, ""))
	}
}

func TestAWorkspacesPatternNeedsTwoOrganizationsOrNone(t *testing.T) {
	from := func(organizations ...string) int {
		var members []pattern.Member
		for n, organization := range organizations {
			m := approval(n, strconv.Itoa(n), 0)
			m.OrganizationID = organization
			members = append(members, m)
		}
		return len(detect(t, pattern.Scope{WorkspaceWide: true}, members...))
	}
	require.Equal(t, 0, from("acme", "acme", "acme"))
	require.Equal(t, 1, from("acme", "acme", "bolt"))
	require.Equal(t, 1, from("acme", "acme", ""))
	require.Equal(t, 1, from("", "", ""))

	outvoted := about("contract", approval(5, "ann", 0), approval(1, "ann", 0))
	members := append(slices.Clone(outvoted), approval(6, "bob", 0), approval(7, "cem", 0))
	require.Empty(t, detect(t, pattern.Scope{WorkspaceWide: true}, members...))
}

func TestClustersEndAtTheThreshold(t *testing.T) {
	apart := []pattern.Member{
		approval(1, "ann", 0), approval(2, "bob", 1), approval(3, "cem", 2),
		rejection(4, "ann", 61), rejection(5, "bob", 62), rejection(6, "cem", 63),
	}
	found := detect(t, pattern.Scope{}, apart...)
	require.Len(t, found, 2)
	require.Equal(t, []string{"jdg_01", "jdg_02", "jdg_03"}, found[0].Members)
	require.Equal(t, []string{"jdg_04", "jdg_05", "jdg_06"}, found[1].Members)

	// The two are half a cosine distance apart, and more than half of them must agree.
	found, err := (&pattern.Detector{Threshold: 0.6}).Detect(t.Context(), apart, pattern.Scope{})
	require.NoError(t, err)
	require.Empty(t, found)
}

func TestContentCountsAsMuchAsTheReview(t *testing.T) {
	members := three()
	for i := range members {
		members[i].Content = toward(0)
	}
	members[2].Content = toward(180)
	require.Empty(t, detect(t, pattern.Scope{}, members...), "cem's is about the opposite")
	members[2].Content = nil
	require.Len(t, detect(t, pattern.Scope{}, members...), 1, "without content the review alone counts")
}

func TestTwoRunsAreTheSame(t *testing.T) {
	detector := new(pattern.Detector)
	for _, members := range [][]pattern.Member{three(), nil, three()} {
		found, err := detector.Detect(t.Context(), members, pattern.Scope{})
		require.NoError(t, err)
		require.Equal(t, detect(t, pattern.Scope{}, members...), found)
	}
}

// drawn are judgments of few people, documents and directions, so that many are
// equally near.
func drawn(t *rapid.T) []pattern.Member {
	var members []pattern.Member
	for n := range rapid.IntRange(0, 24).Draw(t, "judgments") {
		m := approval(n, rapid.SampledFrom([]string{"ann", "bob", "cem"}).Draw(t, "reviewer"), rapid.SampledFrom([]float64{0, 20, 40, 60, 90, 180}).Draw(t, "direction"))
		m.Approves = rapid.IntRange(0, 4).Draw(t, "rejects") > 0
		m.DocumentID = rapid.SampledFrom([]string{"", "", "d", "e"}).Draw(t, "document")
		m.CreatedAt = time.UnixMilli(rapid.Int64Range(0, 3).Draw(t, "at"))
		m.Reasoning = rapid.SampledFrom([]string{"", "The cap is low.", "A cap on fees, again"}).Draw(t, "reasoning")
		m.Category = rapid.SampledFrom([]string{"", "fees", "caps"}).Draw(t, "category")
		if rapid.Bool().Draw(t, "has content") {
			m.Content = toward(rapid.SampledFrom([]float64{0, 30}).Draw(t, "content"))
		}
		members = append(members, m)
	}
	return members
}

func TestTheOrderOfJudgmentsChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		members := drawn(t)
		given := slices.Clone(members)
		want := detect(t, pattern.Scope{}, members...)
		require.Equal(t, given, members, "what was given stays as it was")
		require.Equal(t, want, detect(t, pattern.Scope{}, rapid.Permutation(members).Draw(t, "order")...))
	})
}

func TestPatternsKeepTheirRules(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seen := map[string]bool{}
		for _, p := range detect(t, pattern.Scope{}, drawn(t)...) {
			require.True(t, slices.IsSorted(p.Members))
			for _, record := range p.Members {
				require.False(t, seen[record], "in two patterns")
				seen[record] = true
			}
			require.GreaterOrEqual(t, p.Votes, 3)
			require.LessOrEqual(t, p.Votes, len(p.Members))
			require.GreaterOrEqual(t, p.EnforcementRate, 0.75)
			require.Less(t, p.Confidence, p.EnforcementRate)
			require.Len(t, p.Top, min(5, p.Votes))
			require.Subset(t, p.Members, p.Top)
			require.NotEmpty(t, p.Category)
		}
	})
}

func TestJudgmentsThatCannotBeCompared(t *testing.T) {
	for want, members := range map[string][]pattern.Member{
		"twice":          {approval(1, "ann", 0), approval(1, "ann", 0)},
		"no review":      {{RecordID: "a"}},
		"another length": {{RecordID: "a", Review: []float32{1}}, {RecordID: "b", Review: []float32{1, 0}}},
		"b: a vector of": {{RecordID: "a", Review: []float32{1}, Content: []float32{1}}, {RecordID: "b", Review: []float32{1}, Content: []float32{1, 0}}},
		"at most 3000":   make([]pattern.Member, pattern.MaxMembers+1),
	} {
		_, err := new(pattern.Detector).Detect(t.Context(), members, pattern.Scope{})
		require.ErrorContains(t, err, want)
	}
}

func TestCategoryOfAPattern(t *testing.T) {
	rule := func(category string) func(context.Context, pattern.Member) (string, error) {
		return func(_ context.Context, medoid pattern.Member) (string, error) {
			require.Equal(t, "jdg_02", medoid.RecordID)
			return category, nil
		}
	}
	const reasoning = "The liability cap is missing."
	for _, c := range []struct {
		name, categories, issues, reasoning, rule, want string
	}{
		{"the most frequent one", "b a b", "x y x", reasoning, "r", "b"},
		{"of equal ones the first", "b a -", "x y x", reasoning, "r", "a"},
		{"what agents say", "- - -", "y x y", reasoning, "r", "y"},
		{"the nearest rule", "- - -", "- - -", reasoning, "r", "r"},
		{"a term", "- - -", "- - -", reasoning, " ", "cap"},
		{"nothing", "- - -", "- - -", "", "", "general"},
	} {
		members := because(c.reasoning, three()...)
		for i := range members {
			members[i].Category = strings.Trim(strings.Fields(c.categories)[i], "-")
			members[i].IssueType = strings.Trim(strings.Fields(c.issues)[i], "-")
		}
		found := detect(t, pattern.Scope{NearestRule: rule(c.rule)}, members...)
		require.Equal(t, c.want, found[0].Category, c.name)
	}
}

// A pattern is as long as a list can show, whatever agents call an issue.
func TestTheCategoryOfAPatternIsShort(t *testing.T) {
	long := strings.Repeat("ä", 299) + " b"
	members := three()
	for i := range members {
		members[i].IssueType = long
	}
	require.Equal(t, long[:len(long)-2], one(t, members...).Category, "300 characters, without the blank at their end")
	rule := func(context.Context, pattern.Member) (string, error) { return " " + strings.Repeat("c", 301), nil }
	require.Equal(t, strings.Repeat("c", 300), detect(t, pattern.Scope{NearestRule: rule}, three()...)[0].Category)
	require.Equal(t, strings.Repeat("d", 64), one(t, because(strings.Repeat("d", 64)+" "+strings.Repeat("e", 65), three()...)...).Category)
}

func TestDetectionFailsWithTheSearchForRules(t *testing.T) {
	away := errors.New("away")
	_, err := new(pattern.Detector).Detect(t.Context(), three(), pattern.Scope{
		NearestRule: func(context.Context, pattern.Member) (string, error) { return "", away },
	})
	require.ErrorIs(t, err, away)
}

func TestThePatternNamesItsNearestVotes(t *testing.T) {
	var members []pattern.Member
	for n, degrees := range []float64{40, 31, 20, 10, 0, 19, 50} {
		members = append(members, approval(n, strconv.Itoa(n), degrees))
	}
	members = append(members, about("d", approval(8, "ann", 20), approval(9, "ann", 20))...)
	p := one(t, members...)
	require.Len(t, p.Members, 9)
	require.Equal(t, []string{"jdg_02", "jdg_09", "jdg_05", "jdg_03", "jdg_01"}, p.Top, "the older vote of ann is no source")
}

func TestWilsonBoundOfVotes(t *testing.T) {
	for _, c := range []struct {
		agreeing, votes int
		want            float64
	}{{3, 3, 0.438}, {9, 10, 0.596}, {19, 20, 0.764}} {
		var members []pattern.Member
		for n := range c.votes {
			if n < c.agreeing {
				members = append(members, approval(n, "ann", 0))
			} else {
				members = append(members, rejection(n, "ann", 0))
			}
		}
		require.InDelta(t, c.want, one(t, members...).Confidence, 0.0005)
	}
}

func TestAFurtherVoteMovesConfidenceItsWay(t *testing.T) {
	confidence := func(approving, rejecting int) float64 {
		var members []pattern.Member
		for n := range approving + rejecting {
			m := approval(n, "ann", 0)
			m.Approves = n < approving
			members = append(members, m)
		}
		found := detect(t, pattern.Scope{}, members...)
		return cmp.Or(append(found, pattern.Pattern{})[0].Confidence, -1)
	}
	for approving := 3; approving < 30; approving++ {
		for rejecting := range approving / 3 {
			now := confidence(approving, rejecting)
			require.Greater(t, confidence(approving+1, rejecting), now)
			require.Less(t, confidence(approving, rejecting+1), now)
		}
	}
}
