package api_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestJudgmentsQuery_1and4_TwentyFive(t *testing.T) {
	env := newWorkspace(t)
	const count = 25
	kit.Annotate(env, kit.Made("d", kit.Annotated("a", kit.ManyWritten(count)...)))
	page := kit.Judgments(env, nil)
	require.Len(t, page.Results, 20, "the newest twenty")
	require.Equal(t, int64(count), page.Total)
	require.Equal(t, "comment 24", page.Results[0].Reasoning)
	data := map[string]any{"limit": 10}
	var seen []string
	for _, length := range []int{10, 10, 5} {
		page = kit.Judgments(env, data)
		require.Len(t, page.Results, length)
		require.Equal(t, int64(count), page.Total)
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
	env := newWorkspace(t)
	const count = 25
	kit.Annotate(env, kit.Made("d", kit.Annotated("a", kit.ManyWritten(count)...), kit.Annotated("b", kit.Wrote("ann", "another thread"))))
	data, end := map[string]any{"organizationId": "acme", "annotationId": "a", "limit": 10}, count
	for _, first := range []int{15, 5, 0} {
		page := kit.Judgments(env, data)
		require.Equal(t, int64(count), page.Total)
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

func TestJudgmentsQuery_3_OneMillisecondPagesThrough(t *testing.T) {
	env := newWorkspace(t)
	const count, atOnce = 10_000, 100
	created := map[string]any{"createdAt": time.Now().Add(-time.Hour).UnixMilli()}
	for from := 0; from < count; from += atOnce {
		list := make([]map[string]any, atOnce)
		for i := range list {
			list[i] = kit.Verdict("ann", "approve", created, map[string]any{"recordId": fmt.Sprintf("r%05d", from+i)})
		}
		kit.Record(env, kit.Listed(list...))
	}
	data, next := map[string]any{"limit": atOnce}, count
	for more := true; more; {
		page := kit.Judgments(env, data)
		require.Equal(t, int64(count), page.Total)
		for _, found := range page.Results {
			next--
			require.Equal(t, fmt.Sprintf("r%05d", next), found.RecordID, "none is left out and none comes twice")
		}
		if more = page.HasMore; more {
			data["cursor"] = *page.NextCursor
		}
	}
	require.Zero(t, next)
}

func TestJudgmentsQuery_2_Shapes(t *testing.T) {
	env := newWorkspace(t)
	for _, data := range []map[string]any{
		{"limit": 0},
		{"limit": 101},
		{"limit": "20"},
		{"documentId": "d"},
		{"annotationId": "a"},
		{"judgeType": "robot"},
		{"decision": " "},
		{"contentType": " "},
		{"cursor": "x"},
	} {
		env.RefusedAs("INVALID_ARGUMENT", client.QueryJudgments, data)
	}
	require.Empty(t, kit.Judgments(env, map[string]any{"organizationId": "a", "annotationId": "b", "limit": 100}).Results)
}
