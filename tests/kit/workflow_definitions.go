package kit

import (
	"maps"
	"net/http"
	"strings"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit/client"
)

// View is a whole DefinitionView as JSON objects are read.
type View = map[string]any

// Simple returns a definition of one step, with more keys.
func Simple(id string, more map[string]any) map[string]any {
	data := map[string]any{"definitionId": id, "name": "Simple", "nodes": []redline.NodeInput{client.Mock("only")}, "edges": []any{}}
	maps.Copy(data, more)
	return data
}

// Created creates the definition of Simple and returns its view.
func Created(env *Env, id string, more map[string]any) View {
	env.T.Helper()
	var made View
	env.Call(client.CreateDefinition, Simple(id, more), &made)
	return made
}

// Raw posts data as text and returns the answer's text, which has to be a result.
func Raw(env *Env, operation, data string) string {
	env.T.Helper()
	reply, err := env.Keyed.Send(env.Ctx, "/v2/"+operation, []byte(`{"data":`+data+`}`), nil)
	require.NoError(env.T, err)
	require.Equal(env.T, http.StatusOK, reply.HTTP, "%s", reply.Body)
	return string(reply.Body)
}

// Found returns issues as "code at a.b.c".
func Found(issues []redline.Issue) []string {
	list := []string{}
	for _, issue := range issues {
		list = append(list, issue.Code+" at "+strings.Join(issue.Path, "."))
	}
	return list
}

// GetDefinitionView returns what definitions/get returns.
func GetDefinitionView(env *Env, id string) View {
	env.T.Helper()
	var read View
	env.Call(client.GetDefinition, map[string]any{"definitionId": id}, &read)
	return read
}
