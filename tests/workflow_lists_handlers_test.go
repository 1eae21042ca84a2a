package tests

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
)

func TestList_2_NewExecutionsDoNotShiftLaterPages(t *testing.T) {
	s := begin(t)
	definition := s.signOff()
	var old []string
	for range 9 {
		old = append([]string{s.dispatch(definition).id}, old...)
	}
	query := map[string]any{"pageSize": 3}
	var seen []string
	for {
		var page client.Page[client.Execution]
		s.call(listExecutions, query, &page)
		for _, item := range page.Items {
			seen = append(seen, item.ExecutionID)
		}
		s.dispatch(definition)
		if !page.HasMore {
			require.Empty(t, *page.NextCursor, "the last page's cursor is the empty string")
			break
		}
		query["cursor"] = *page.NextCursor
	}
	require.Equal(t, old, seen)
}

func TestList_3_TheNewExecutionIsThereWithItsRootSteps(t *testing.T) {
	s := begin(t)
	definition := s.signOff()
	r := s.dispatch(definition, input(map[string]any{"big": "text"}))
	var page client.Page[client.Execution]
	s.call(listExecutions, map[string]any{}, &page)
	require.Len(t, page.Items, 1)
	item := page.Items[0]
	require.Equal(t, r.id, item.ExecutionID)
	require.Equal(t, "review", item.Steps[0].NodeID)
	require.JSONEq(t, `{}`, string(item.Steps[0].Output), "no outputs in a list")
	require.Equal(t, "ann", item.Steps[0].Metadata.Reviewers[0].UserID, "but the whole metadata")
	require.Empty(t, item.TriggerContext, "the context is for get alone")
}

func TestListShape(t *testing.T) {
	s := begin(t)
	for name, data := range map[string]map[string]any{
		"unknown status":      {"status": "done"},
		"page of none":        {"pageSize": 0},
		"page of 501":         {"pageSize": 501},
		"page as text":        {"pageSize": "5"},
		"half a page":         {"pageSize": 1.5},
		"after equals before": {"startedAfter": 5, "startedBefore": 5},
		"organization filter": {"organizationId": "o"},
		"document filter":     {"documentId": "d"},
	} {
		assert.Equal(t, "INVALID_ARGUMENT", s.refused(listExecutions, data).Status, name)
	}
	var page client.Page[client.Execution]
	s.call(listExecutions, map[string]any{"pageSize": 500}, &page)
	require.NotNil(t, page.Items, "an empty list is a list")
	require.Empty(t, page.Items)
	require.False(t, page.HasMore)
}
