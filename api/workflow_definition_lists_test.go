package api_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestListDefinitions_1_and_2_EachOnceAndLatestFirst(t *testing.T) {
	env := newWorkspace(t)
	const many = 23
	ids := make([]string, many)
	kit.Concurrently(many, func(i int) {
		ids[i] = kit.Unique("definition")
		_, err := client.Call[kit.View](env.Ctx, env.Keyed, client.CreateDefinition, kit.Simple(ids[i], nil))
		assert.NoError(t, err)
	})
	names := func(items []kit.View) []string {
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
		require.ElementsMatch(t, ids, names(kit.EveryPage[kit.View](env, client.ListDefinitions, map[string]any{"pageSize": size})))
	}

	var page client.Page[kit.View]
	env.Call(client.ListDefinitions, map[string]any{"pageSize": 10}, &page)
	last := page.Items[9]["definitionId"].(string)
	env.Call(client.UpdateDefinition, kit.Simple(last, map[string]any{"ifVersion": 1}), nil)
	rest := kit.EveryPage[kit.View](env, client.ListDefinitions, map[string]any{"pageSize": 4, "cursor": *page.NextCursor})
	require.Len(t, rest, many-10, "the page's last definition moved and the next page begins where it was")
	require.Equal(t, last, names(kit.EveryPage[kit.View](env, client.ListDefinitions, nil))[0])
}

// Definitions cannot be updated in one moment, so their times are made equal in their
// rows.
func TestListDefinitions_1_SeveralOfOneMoment(t *testing.T) {
	env := newWorkspace(t)
	ids := make([]string, 12)
	for i := range ids {
		ids[i] = kit.Unique("definition")
		kit.Created(env, ids[i], nil)
	}
	_, err := env.DB().Exec(env.Ctx, `
WITH versions AS (UPDATE definition_versions SET created_at = date_trunc('milliseconds', now()) WHERE workspace_id = $1)
UPDATE definitions SET updated_at = date_trunc('milliseconds', now()) WHERE workspace_id = $1`, env.Workspace.ID)
	require.NoError(t, err)
	whole := kit.EveryPage[kit.View](env, client.ListDefinitions, map[string]any{"pageSize": 500})
	require.Len(t, whole, len(ids))
	for _, item := range whole {
		require.Equal(t, whole[0]["updatedAt"], item["updatedAt"])
		require.Contains(t, ids, item["definitionId"])
	}
	for _, size := range []int{1, 5} {
		require.Equal(t, whole, kit.EveryPage[kit.View](env, client.ListDefinitions, map[string]any{"pageSize": size}), "each once, in one order")
	}
}

func TestListDefinitions_3_ACursorIsOfItsListAlone(t *testing.T) {
	env := newWorkspace(t)
	for range 3 {
		kit.Created(env, kit.Unique("definition"), map[string]any{"tags": []string{"x"}})
	}
	var page client.Page[kit.View]
	env.Call(client.ListDefinitions, map[string]any{"pageSize": 1, "tag": "x"}, &page)
	cursor := *page.NextCursor
	other := kit.Elsewhere(env)
	altered := []byte(cursor)
	altered[len(altered)/2] ^= 1
	for name, refused := range map[string]func() *redline.Error{
		"other filter": func() *redline.Error {
			return env.Refused(client.ListDefinitions, map[string]any{"tag": "y", "cursor": cursor})
		},
		"no filter": func() *redline.Error { return env.Refused(client.ListDefinitions, map[string]any{"cursor": cursor}) },
		"other workspace": func() *redline.Error {
			return other.Refused(client.ListDefinitions, map[string]any{"tag": "x", "cursor": cursor})
		},
		"altered": func() *redline.Error {
			return env.Refused(client.ListDefinitions, map[string]any{"tag": "x", "cursor": string(altered)})
		},
		"other list": func() *redline.Error {
			return env.Refused(client.ListVersions, map[string]any{"definitionId": "abc", "cursor": cursor})
		},
	} {
		failure := refused()
		require.Equal(t, redline.ProblemStatusInvalidArgument, failure.Status, name)
		require.Equal(t, []string{"cursor"}, failure.Issues[0].Path, name)
	}
}

func TestListDefinitionsByScopeAndTag(t *testing.T) {
	env := newWorkspace(t)
	whole := kit.Unique("definition")
	kit.Created(env, whole, map[string]any{"tags": []string{"red"}})
	organization := kit.Unique("definition")
	kit.Created(env, organization, map[string]any{"scope": map[string]any{"level": "organization"}, "organizationId": "o1"})
	document := kit.Unique("definition")
	kit.Created(env, document, map[string]any{"scope": map[string]any{"level": "document", "organizationId": "o1", "documentId": "d1"}, "tags": []string{"red", "blue"}})
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
		for _, item := range kit.EveryPage[kit.View](env, client.ListDefinitions, c.query) {
			got = append(got, item["definitionId"].(string))
		}
		require.Equal(t, c.want, got, "%v", c.query)
	}
}

func TestDeleteDefinition_4_DeleteCreateDelete(t *testing.T) {
	env := newWorkspace(t)
	id := kit.Unique("definition")
	for range 3 {
		require.InDelta(t, 1, kit.Created(env, id, nil)["version"], 0, "versions begin at 1 each time")
		env.Call(client.UpdateDefinition, kit.Simple(id, map[string]any{"ifVersion": 1}), nil)
		env.Call(client.DeleteDefinition, map[string]any{"definitionId": id}, nil)
	}
	for _, operation := range []string{client.GetDefinition, client.ListVersions} {
		env.RefusedAs("NOT_FOUND", operation, map[string]any{"definitionId": id})
	}
	require.Empty(t, kit.EveryPage[kit.View](env, client.ListDefinitions, nil))
}

func TestLintDefinition_1_TheVeryListOfCreate(t *testing.T) {
	env := newWorkspace(t)
	id := kit.Unique("definition")
	good := kit.Simple(id, nil)
	bad := kit.Simple(id, map[string]any{"edges": []any{map[string]any{"from": "only", "to": "only"}, 7}, "tags": "x", "definitionId": "NO"})
	failure := env.RefusedAs("INVALID_ARGUMENT", client.CreateDefinition, bad)
	var linted redline.LintResult
	env.Call(client.LintDefinition, bad, &linted)
	require.False(t, linted.Valid)
	require.Equal(t, failure.Issues, linted.Issues)
	require.Nil(t, linted.Compiled)
	require.NotNil(t, linted.Warnings)

	env.Call(client.LintDefinition, good, &linted)
	require.True(t, linted.Valid)
	require.Empty(t, linted.Issues)
	env.RefusedAs("NOT_FOUND", client.GetDefinition, map[string]any{"definitionId": id})
	made := kit.Created(env, id, nil)
	env.Call(client.LintDefinition, good, &linted)
	require.True(t, linted.Valid, "lint needs no free id")
	compiled, err := json.Marshal(made["compiled"])
	require.NoError(t, err)
	require.JSONEq(t, string(compiled), string(linted.Compiled))
	require.Equal(t, redline.ProblemStatusInvalidArgument, kit.Send(t, env.Keyed, "/v2/"+client.LintDefinition, `{"data":[]}`, nil).Status)
	require.Nil(t, kit.Send(t, env.Keyed, "/v2/"+client.LintDefinition, `{"data":{}}`, nil))
}

// Whoever walked every path would never answer; how long it takes is measured
// by a benchmark of the definition package.
func TestLintDefinition_2_FastHoweverManyPaths(t *testing.T) {
	env := newWorkspace(t)
	data := kit.ManyPaths(kit.Unique("definition"))
	require.Len(t, data["edges"], 500)
	var linted redline.LintResult
	env.Call(client.LintDefinition, data, &linted)
	require.True(t, linted.Valid, "%v", linted.Issues)
}

func TestLintDefinition_3_AWhenTenThousandDeep(t *testing.T) {
	env := newWorkspace(t)
	deep := strings.Repeat(`{"op":"not","args":[`, 10_000) + "true" + strings.Repeat("]}", 10_000)
	data := map[string]any{
		"definitionId": kit.Unique("definition"), "name": "Deep", "nodes": []redline.NodeInput{client.Mock("a"), client.Mock("b")},
		"edges": []redline.EdgeInput{client.When("a", "b", deep)},
	}
	var linted redline.LintResult
	env.Call(client.LintDefinition, data, &linted)
	require.Equal(t, []string{"edge-when-invalid at edges.0.when"}, kit.Found(linted.Issues))
}

func TestVersions_1_and_2_TheSameBytesUntilANewLine(t *testing.T) {
	env := newWorkspace(t)
	id := kit.Unique("definition")
	kit.Created(env, id, map[string]any{"custom": map[string]any{"v": 1}, "name": "One"})
	first := kit.Raw(env, client.GetVersion, `{"definitionId":"`+id+`","version":1}`)
	for version := 2; version <= 4; version++ {
		env.Call(client.UpdateDefinition, kit.Simple(id, map[string]any{"ifVersion": version - 1, "name": fmt.Sprint("Name ", version)}), nil)
		require.Equal(t, first, kit.Raw(env, client.GetVersion, `{"definitionId":"`+id+`","version":1}`))
	}
	lines := kit.EveryPage[kit.View](env, client.ListVersions, map[string]any{"definitionId": id, "pageSize": 3})
	require.Len(t, lines, 4)
	for i, line := range lines {
		require.InDelta(t, 4-i, line["version"], 0, "latest first")
		require.InDelta(t, 1, line["nodeCount"], 0)
		require.InDelta(t, 0, line["edgeCount"], 0)
	}
	require.Equal(t, "Name 4", lines[0]["name"])
	require.Equal(t, "One", lines[3]["name"])
	for _, missing := range []int{0, -1, 5, 1 << 40} {
		env.RefusedAs("NOT_FOUND", client.GetVersion, map[string]any{"definitionId": id, "version": missing})
	}
	env.Call(client.DeleteDefinition, map[string]any{"definitionId": id}, nil)
	env.RefusedAs("NOT_FOUND", client.GetVersion, map[string]any{"definitionId": id, "version": 1})
	kit.Created(env, id, nil)
	require.Len(t, kit.EveryPage[kit.View](env, client.ListVersions, map[string]any{"definitionId": id}), 1, "only the new line is there")
	require.NotEqual(t, first, kit.Raw(env, client.GetVersion, `{"definitionId":"`+id+`","version":1}`))
}

func TestDeleteDefinition_OfAnotherPlace(t *testing.T) {
	env := newWorkspace(t)
	whole, scoped := kit.Unique("definition"), kit.Unique("definition")
	kit.Created(env, whole, nil)
	kit.Created(env, scoped, map[string]any{"scope": map[string]any{"level": "document", "organizationId": "o1", "documentId": "d1"}})
	for _, place := range []map[string]any{{"documentId": "d2"}, {"organizationId": "o2", "documentId": "d1"}} {
		env.RefusedAs("NOT_FOUND", client.DeleteDefinition, kit.With(map[string]any{"definitionId": scoped}, place))
	}
	env.Call(client.GetDefinition, map[string]any{"definitionId": scoped}, nil)
	env.Call(client.DeleteDefinition, map[string]any{"definitionId": scoped, "organizationId": "o1", "documentId": "d1"}, nil)
	env.Call(client.DeleteDefinition, map[string]any{"definitionId": whole, "organizationId": "o1"}, nil)
}
