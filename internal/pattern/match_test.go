package pattern_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/redline-svc/redline/internal/pattern"
)

// found is an approving pattern with members of one letter each.
func found(members string) pattern.Pattern {
	return pattern.Pattern{Approve: true, Members: strings.Split(members, "")}
}

func stored(id, members string) pattern.Stored {
	return pattern.Stored{ID: id, Approve: true, Members: strings.Split(members, "")}
}

// matched returns the ids of the stored patterns that were found again, "-" where one is new.
func matched(found []pattern.Pattern, stored ...pattern.Stored) string {
	var ids []string
	for _, s := range pattern.Match(found, stored) {
		if s == nil {
			s = &pattern.Stored{ID: "-"}
		}
		ids = append(ids, s.ID)
	}
	return strings.Join(ids, " ")
}

func TestPatternsAreKnownAgainByTheirMembers(t *testing.T) {
	for _, c := range []struct {
		name   string
		found  []pattern.Pattern
		stored []pattern.Stored
		want   string
	}{
		{"the same", []pattern.Pattern{found("abc")}, []pattern.Stored{stored("p", "abc")}, "p"},
		{"another", []pattern.Pattern{found("abc")}, []pattern.Stored{stored("p", "def")}, "-"},
		{"3 of 10", []pattern.Pattern{found("abcdefg")}, []pattern.Stored{stored("p", "abcxyz")}, "p"},
		{"3 of 11", []pattern.Pattern{found("abcdefgh")}, []pattern.Stored{stored("p", "abcxyz")}, "-"},
		{"the greatest first", []pattern.Pattern{found("abcd"), found("ef")}, []pattern.Stored{stored("p", "abef"), stored("q", "abcdx")}, "q p"},
		{"one for each", []pattern.Pattern{found("ab"), found("cde")}, []pattern.Stored{stored("p", "abcde")}, "- p"},
		{"equal ones by id", []pattern.Pattern{found("abcd")}, []pattern.Stored{stored("q", "ab"), stored("p", "cd")}, "p"},
		{"equal ones by order", []pattern.Pattern{found("ab"), found("cd")}, []pattern.Stored{stored("p", "abcd")}, "p -"},
		{"nothing stored", []pattern.Pattern{found("ab")}, nil, "-"},
		{"nothing found", nil, []pattern.Stored{stored("p", "ab")}, ""},
	} {
		require.Equal(t, c.want, matched(c.found, c.stored...), c.name)
	}
}

func TestThePracticeTurns(t *testing.T) {
	old := stored("p", "abcd")
	turned := found("abcdefgh")
	turned.Approve = false
	require.Equal(t, "-", matched([]pattern.Pattern{turned}, old), "another decision is another pattern")
}

func TestTheTwentiethJudgmentJoins(t *testing.T) {
	var members []pattern.Member
	for n := range 20 {
		members = append(members, approval(n, strconv.Itoa(n%4), float64(n%3)))
	}
	before, after := one(t, members[:19]...), one(t, members...)
	known := pattern.Stored{ID: "p", Approve: true, Members: before.Members, Description: before.Description, Category: before.Category}
	require.Equal(t, "p", matched([]pattern.Pattern{after}, known))
	require.Greater(t, after.Confidence, before.Confidence)
	require.True(t, known.Unchanged(before), "two runs on the same judgments change nothing")
	require.False(t, known.Unchanged(after))
}

func TestAPatternChangesWithMembersAndText(t *testing.T) {
	p := found("abc")
	p.Description, p.Category = "Usually", "fees"
	same := pattern.Stored{ID: "p", Approve: true, Members: []string{"c", "a", "b"}, Description: "Usually", Category: "fees"}
	require.True(t, same.Unchanged(p), "the order of members says nothing")
	require.Equal(t, []string{"c", "a", "b"}, same.Members)
	for _, change := range []func(s *pattern.Stored){
		func(s *pattern.Stored) { s.Members = []string{"a", "b"} },
		func(s *pattern.Stored) { s.Description = "" },
		func(s *pattern.Stored) { s.Category = "" },
		func(s *pattern.Stored) { s.Approve = false },
	} {
		other := same
		change(&other)
		require.False(t, other.Unchanged(p))
	}
}

func TestMatchingKeepsWhatDidNotChange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		members := rapid.Permutation(strings.Split("abcdefghijkl", "")).Draw(t, "members")
		var now []pattern.Pattern
		var before []pattern.Stored
		for at := 0; at < len(members); {
			end := min(len(members), at+rapid.IntRange(1, 4).Draw(t, "size"))
			now = append(now, found(strings.Join(members[at:end], "")))
			before = append(before, stored(strconv.Itoa(at), strings.Join(members[at:end], "")))
			at = end
		}
		want := matched(now, before...)
		require.NotContains(t, want, "-")
		require.Equal(t, want, matched(now, rapid.Permutation(before).Draw(t, "stored")...))
		for i, s := range pattern.Match(now, before) {
			require.True(t, slices.Equal(now[i].Members, s.Members))
		}
	})
}
