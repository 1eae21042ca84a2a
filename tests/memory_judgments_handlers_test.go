package tests

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestJudgmentsQuery_1and4_TwentyFive(t *testing.T) {
	s := begin(t)
	const count = 25
	s.annotate(made("d", annotated("a", manyWritten(count)...)))
	page := s.judgments(nil)
	require.Len(t, page.Results, 20, "the newest twenty")
	require.Equal(t, count, page.Total)
	require.Equal(t, "comment 24", page.Results[0].Reasoning)
	data := map[string]any{"limit": 10}
	var seen []string
	for _, length := range []int{10, 10, 5} {
		page = s.judgments(data)
		require.Len(t, page.Results, length)
		require.Equal(t, count, page.Total)
		for _, item := range page.Results {
			seen = append(seen, item.Reasoning)
		}
		if page.HasMore {
			data["cursor"] = *page.NextCursor
		}
	}
	require.False(t, page.HasMore)
	require.Len(t, seen, count)
	for i, reasoning := range seen {
		require.Equal(t, fmt.Sprint("comment ", count-1-i), reasoning)
	}
}

// A thread is read from its end: each page is shown oldest first, and its cursor leads to
// older ones.
func TestJudgmentsQuery_TheCursorOfAThreadLeadsToOlderOnes(t *testing.T) {
	s := begin(t)
	const count = 25
	s.annotate(made("d", annotated("a", manyWritten(count)...), annotated("b", wrote("ann", "another thread"))))
	data, end := map[string]any{"organizationId": "acme", "annotationId": "a", "limit": 10}, count
	for _, first := range []int{15, 5, 0} {
		page := s.judgments(data)
		require.Equal(t, count, page.Total)
		require.Equal(t, first > 0, page.HasMore)
		require.Len(t, page.Results, end-first)
		for i, found := range page.Results {
			require.Equal(t, fmt.Sprint("comment ", first+i), found.Reasoning)
		}
		if page.HasMore {
			data["cursor"] = *page.NextCursor
		}
		end = first
	}
}
