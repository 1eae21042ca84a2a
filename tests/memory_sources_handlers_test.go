package tests

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
)

func TestKnowledgeList_2_AnEmptyWorkspaceAndWhatIsRefused(t *testing.T) {
	s := begin(t)
	raw, err := client.Call[json.RawMessage](s.ctx, s.keyed, listSources, map[string]any{})
	require.NoError(t, err)
	require.JSONEq(t, `[]`, string(raw))
	for _, page := range []map[string]any{{"pageSize": 5}, {"cursor": ""}} {
		raw, err = client.Call[json.RawMessage](s.ctx, s.keyed, listSources, page)
		require.NoError(t, err)
		require.JSONEq(t, `{"items":[],"nextCursor":null,"hasMore":false}`, string(raw))
	}
	s.ingest("one")
	s.ingest("two")
	cursor := *s.sourcePage(map[string]any{"pageSize": 1}).NextCursor
	for _, data := range []map[string]any{
		{"pageSize": 0},
		{"pageSize": 101},
		{"pageSize": "5"},
		{"pageSize": 1.5},
		{"status": "retired"},
		{"status": ""},
		{"documentId": "d"},
		{"organizationId": ""},
		{"surplus": 1},
		{"cursor": cursor + "x"},
		{"cursor": "x"},
		{"cursor": cursor, "status": "processing"},
		{"cursor": cursor, "organizationId": "acme"},
	} {
		s.refusedAs("INVALID_ARGUMENT", listSources, data)
	}
	require.Len(t, s.sourcePage(map[string]any{"cursor": cursor}).Items, 1, "a page of another size begins there too")
	for _, operation := range []string{listRules, readText, deleteSource, retrySource} {
		for _, data := range []map[string]any{{}, {"sourceId": ""}, {"sourceId": " "}, {"sourceId": 7}, {"sourceId": "a", "surplus": 1}} {
			s.refusedAs("INVALID_ARGUMENT", operation, data)
		}
	}
	s.refusedAs("INVALID_ARGUMENT", deleteSource, map[string]any{"sourceId": "a", "force": "yes"})
}
