package kit

import (
	"encoding/json"
	"maps"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
)

// Items makes a per-item write, which has to succeed as a whole, and returns an entry for
// each item.
func Items(env *Env, operation string, data any) map[string]redline.Item {
	env.T.Helper()
	var found redline.ItemByIDResult
	env.Call(operation, data, &found)
	require.Equal(env.T, redline.ItemByIDResultStatusSuccess, found.Status)
	return found.Data
}

// Users returns users of a call with these ids.
func Users(ids ...string) []map[string]any {
	list := make([]map[string]any, len(ids))
	for i, id := range ids {
		list[i] = map[string]any{"userId": id, "name": "Name of " + short(id)}
	}
	return list
}

// Acme returns a call about users of acme, or of a level of it.
func Acme(level map[string]any, users ...map[string]any) map[string]any {
	data := map[string]any{"organizationId": "acme", "users": users}
	maps.Copy(data, level)
	return data
}

// OddIDs are ids that must never be taken for a path, a tag or a pattern.
var OddIDs = []string{"{{x}}", "🇩🇪", "a%2Fb", "a/b", "../x", `'";--`, "__proto__", " ", "\u03a9", "\u2126", "é", "e\u0301"}

// Details makes an operation that has to be refused and returns the details of its error.
func Details(env *Env, operation string, data any) map[string]any {
	env.T.Helper()
	body, err := json.Marshal(map[string]any{"data": data})
	require.NoError(env.T, err)
	reply, err := env.Keyed.Send(env.Ctx, "/v2/"+operation, body, nil)
	require.NoError(env.T, err)
	var answer struct {
		Error struct {
			Details map[string]any `json:"details"`
		} `json:"error"`
	}
	require.NoError(env.T, json.Unmarshal(reply.Body, &answer))
	require.NotNil(env.T, answer.Error.Details)
	return answer.Error.Details
}

// short returns the beginning of an id, which fits into a name.
func short(id string) string {
	runes := []rune(id)
	return string(runes[:min(len(runes), 20)])
}
