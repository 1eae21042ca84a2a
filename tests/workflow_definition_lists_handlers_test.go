package tests

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
)

func TestListDefinitions_1_and_2_EachOnceAndLatestFirst(t *testing.T) {
	s := begin(t)
	const many = 23
	ids := make([]string, many)
	together(many, func(i int) {
		ids[i] = unique("definition")
		_, err := client.Call[view](s.ctx, s.keyed, createDefinition, simple(ids[i], nil))
		assert.NoError(t, err)
	})
	names := func(items []view) []string {
		var list []string
		for i, item := range items {
			list = append(list, item["definitionId"].(string))
			if i > 0 {
				require.GreaterOrEqual(t, items[i-1]["updatedAt"], item["updatedAt"])
			}
		}
		return list
	}
	for _, size := range []int{1, 5, 500} {
		require.ElementsMatch(t, ids, names(everyPage[view](s, listDefinitions, map[string]any{"pageSize": size})))
	}

	var page client.Page[view]
	s.call(listDefinitions, map[string]any{"pageSize": 10}, &page)
	last := page.Items[9]["definitionId"].(string)
	s.call(updateDefinition, simple(last, map[string]any{"ifVersion": 1}), nil)
	rest := everyPage[view](s, listDefinitions, map[string]any{"pageSize": 4, "cursor": *page.NextCursor})
	require.Len(t, rest, many-10, "the page's last definition moved and the next page begins where it was")
	require.Equal(t, last, names(everyPage[view](s, listDefinitions, nil))[0])
}

// Definitions cannot be updated in one moment, so their times are made equal in their
// rows.
func TestListDefinitions_1_SeveralOfOneMoment(t *testing.T) {
	s := begin(t)
	ids := make([]string, 12)
	for i := range ids {
		ids[i] = unique("definition")
		s.created(ids[i], nil)
	}
	_, err := s.rows().Exec(s.ctx, `
WITH versions AS (UPDATE definition_versions SET created_at = date_trunc('milliseconds', now()) WHERE workspace_id = $1)
UPDATE definitions SET updated_at = date_trunc('milliseconds', now()) WHERE workspace_id = $1`, s.workspace.ID)
	require.NoError(t, err)
	whole := everyPage[view](s, listDefinitions, map[string]any{"pageSize": 500})
	require.Len(t, whole, len(ids))
	for _, item := range whole {
		require.Equal(t, whole[0]["updatedAt"], item["updatedAt"])
		require.Contains(t, ids, item["definitionId"])
	}
	for _, size := range []int{1, 5} {
		require.Equal(t, whole, everyPage[view](s, listDefinitions, map[string]any{"pageSize": size}), "each once, in one order")
	}
}

func TestListDefinitions_3_ACursorIsOfItsListAlone(t *testing.T) {
	s := begin(t)
	for range 3 {
		s.created(unique("definition"), map[string]any{"tags": []string{"x"}})
	}
	var page client.Page[view]
	s.call(listDefinitions, map[string]any{"pageSize": 1, "tag": "x"}, &page)
	cursor := *page.NextCursor
	other := s.elsewhere()
	altered := []byte(cursor)
	altered[len(altered)/2] ^= 1
	for name, refused := range map[string]func() *client.Failure{
		"other filter": func() *client.Failure {
			return s.refused(listDefinitions, map[string]any{"tag": "y", "cursor": cursor})
		},
		"no filter": func() *client.Failure { return s.refused(listDefinitions, map[string]any{"cursor": cursor}) },
		"other workspace": func() *client.Failure {
			return other.refused(listDefinitions, map[string]any{"tag": "x", "cursor": cursor})
		},
		"altered": func() *client.Failure {
			return s.refused(listDefinitions, map[string]any{"tag": "x", "cursor": string(altered)})
		},
		"other list": func() *client.Failure {
			return s.refused(listVersions, map[string]any{"definitionId": "abc", "cursor": cursor})
		},
	} {
		failure := refused()
		require.Equal(t, "INVALID_ARGUMENT", failure.Status, name)
		require.Equal(t, []string{"cursor"}, failure.Issues[0].Path, name)
	}
}

func TestListDefinitionsByScopeAndTag(t *testing.T) {
	s := begin(t)
	whole := unique("definition")
	s.created(whole, map[string]any{"tags": []string{"red"}})
	organization := unique("definition")
	s.created(organization, map[string]any{"scope": map[string]any{"level": "organization"}, "organizationId": "o1"})
	document := unique("definition")
	s.created(document, map[string]any{"scope": map[string]any{"level": "document", "organizationId": "o1", "documentId": "d1"}, "tags": []string{"red", "blue"}})
	for _, c := range []struct {
		query map[string]any
		want  []string
	}{
		{map[string]any{}, []string{document, organization, whole}},
		{map[string]any{"organizationId": "o1"}, []string{document, organization}},
		{map[string]any{"organizationId": "o1", "documentId": "d1"}, []string{document}},
		{map[string]any{"organizationId": "o2"}, nil},
		{map[string]any{"tag": "red"}, []string{document, whole}},
		{map[string]any{"tag": "red", "documentId": "d1"}, []string{document}},
		{map[string]any{"tag": "green"}, nil},
	} {
		var got []string
		for _, item := range everyPage[view](s, listDefinitions, c.query) {
			got = append(got, item["definitionId"].(string))
		}
		require.Equal(t, c.want, got, "%v", c.query)
	}
}

func TestDeleteDefinition_4_DeleteCreateDelete(t *testing.T) {
	s := begin(t)
	id := unique("definition")
	for range 3 {
		require.InDelta(t, 1, s.created(id, nil)["version"], 0, "versions begin at 1 each time")
		s.call(updateDefinition, simple(id, map[string]any{"ifVersion": 1}), nil)
		s.call(deleteDefinition, map[string]any{"definitionId": id}, nil)
	}
	for _, operation := range []string{getDefinition, listVersions} {
		s.refusedAs("NOT_FOUND", operation, map[string]any{"definitionId": id})
	}
	require.Empty(t, everyPage[view](s, listDefinitions, nil))
}

func TestLintDefinition_1_TheVeryListOfCreate(t *testing.T) {
	s := begin(t)
	id := unique("definition")
	good := simple(id, nil)
	bad := simple(id, map[string]any{"edges": []any{map[string]any{"from": "only", "to": "only"}, 7}, "tags": "x", "definitionId": "NO"})
	failure := s.refusedAs("INVALID_ARGUMENT", createDefinition, bad)
	var linted lintResult
	s.call(lintDefinition, bad, &linted)
	require.False(t, linted.Valid)
	require.Equal(t, failure.Issues, linted.Issues)
	require.Equal(t, "null", string(linted.Compiled))
	require.NotNil(t, linted.Warnings)

	s.call(lintDefinition, good, &linted)
	require.True(t, linted.Valid)
	require.Empty(t, linted.Issues)
	s.refusedAs("NOT_FOUND", getDefinition, map[string]any{"definitionId": id})
	made := s.created(id, nil)
	s.call(lintDefinition, good, &linted)
	require.True(t, linted.Valid, "lint needs no free id")
	compiled, err := json.Marshal(made["compiled"])
	require.NoError(t, err)
	require.JSONEq(t, string(compiled), string(linted.Compiled))
	require.Equal(t, "INVALID_ARGUMENT", send(t, s.keyed, "/v2/"+lintDefinition, `{"data":[]}`, nil).Status)
	require.Nil(t, send(t, s.keyed, "/v2/"+lintDefinition, `{"data":{}}`, nil))
}

// Whoever walked every path would never answer; how long it takes is measured
// by a benchmark of the definition package.
func TestLintDefinition_2_FastHoweverManyPaths(t *testing.T) {
	s := begin(t)
	data := manyPaths(unique("definition"))
	require.Len(t, data["edges"], 500)
	var linted lintResult
	s.call(lintDefinition, data, &linted)
	require.True(t, linted.Valid, "%v", linted.Issues)
}

func TestLintDefinition_3_AWhenTenThousandDeep(t *testing.T) {
	s := begin(t)
	deep := strings.Repeat(`{"op":"not","args":[`, 10_000) + "true" + strings.Repeat("]}", 10_000)
	data := map[string]any{
		"definitionId": unique("definition"), "name": "Deep", "nodes": []client.Node{client.Mock("a"), client.Mock("b")},
		"edges": []client.Edge{client.When("a", "b", deep)},
	}
	var linted lintResult
	s.call(lintDefinition, data, &linted)
	require.Equal(t, []string{"edge-when-invalid at edges.0.when"}, found(linted.Issues))
}

func TestVersions_1_and_2_TheSameBytesUntilANewLine(t *testing.T) {
	s := begin(t)
	id := unique("definition")
	s.created(id, map[string]any{"custom": map[string]any{"v": 1}, "name": "One"})
	first := s.raw(getVersion, `{"definitionId":"`+id+`","version":1}`)
	for version := 2; version <= 4; version++ {
		s.call(updateDefinition, simple(id, map[string]any{"ifVersion": version - 1, "name": fmt.Sprint("Name ", version)}), nil)
		require.Equal(t, first, s.raw(getVersion, `{"definitionId":"`+id+`","version":1}`))
	}
	lines := everyPage[view](s, listVersions, map[string]any{"definitionId": id, "pageSize": 3})
	require.Len(t, lines, 4)
	for i, line := range lines {
		require.InDelta(t, 4-i, line["version"], 0, "latest first")
		require.InDelta(t, 1, line["nodeCount"], 0)
		require.InDelta(t, 0, line["edgeCount"], 0)
	}
	require.Equal(t, "Name 4", lines[0]["name"])
	require.Equal(t, "One", lines[3]["name"])
	for _, missing := range []int{0, -1, 5, 1 << 40} {
		s.refusedAs("NOT_FOUND", getVersion, map[string]any{"definitionId": id, "version": missing})
	}
	s.call(deleteDefinition, map[string]any{"definitionId": id}, nil)
	s.refusedAs("NOT_FOUND", getVersion, map[string]any{"definitionId": id, "version": 1})
	s.created(id, nil)
	require.Len(t, everyPage[view](s, listVersions, map[string]any{"definitionId": id}), 1, "only the new line is there")
	require.NotEqual(t, first, s.raw(getVersion, `{"definitionId":"`+id+`","version":1}`))
}
