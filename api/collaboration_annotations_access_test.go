package api_test

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

// member reports whether a user has a place in an organization: the change of
// nothing finds them or does not.
func member(env *kit.Env, organizationID, user string) bool {
	env.T.Helper()
	found := kit.Items(env, client.UpdateUsers, map[string]any{"organizationId": organizationID, "users": []map[string]any{{"userId": user}}})[user]
	if !found.Success {
		require.Equal(env.T, redline.ItemCodeNotFound, found.Code)
	}
	return found.Success
}

// Whoever may not write does not become a member by trying, and who is not
// asked about does.
func TestAnnotationsAdd_ADeniedAuthorBecomesNoMember(t *testing.T) {
	env := newWorkspace(t)
	env.Call(client.UpdateSettings, map[string]any{"defaultDocumentAccessType": "organizationPrivate", "requireAutoOrgUser": true}, nil)
	kit.Items(env, client.AddUsers, map[string]any{"organizationId": "acme", "users": kit.Users("ann")})
	require.False(t, kit.MayWrite(env, "stranger", "d"), "the document is not there yet")
	require.True(t, kit.MayWrite(env, "ann", "d"))
	require.False(t, kit.MayWrite(env, "stranger", "d"))
	require.False(t, member(env, "acme", "stranger"))
	both := kit.Checked(kit.Made("d", kit.Annotated("a", kit.Wrote("ann", "a"), kit.Wrote("stranger", "b"))))
	require.Equal(t, []any{map[string]any{"index": 0.0, "userId": "stranger"}}, kit.Details(env, client.AddAnnotations, both)["denied"])
	require.False(t, member(env, "acme", "stranger"))
	kit.Annotate(env, kit.Made("d", kit.Annotated("a", kit.Wrote("stranger", "a"))))
	require.True(t, member(env, "acme", "stranger"), "without the check an author becomes one")
	require.True(t, kit.MayWrite(env, "stranger", "d"))
}

// Of several faults the first in the order of checking is told.
func TestAnnotationsAdd_WhichFaultIsReported(t *testing.T) {
	env := newWorkspace(t)
	env.Call(client.UpdateSettings, map[string]any{"defaultDocumentAccessType": "organizationPrivate"}, nil)
	kit.Annotate(env, kit.Made("d", kit.Annotated("used", kit.Wrote("ann", "a"))))
	agent := map[string]any{"agent": map[string]any{
		"agentSource": "svc", "agentId": "unknown", "reason": map[string]any{"title": "t", "description": "d", "severity": "low"},
	}}
	by := func(id string, more ...map[string]any) []any {
		return []any{kit.Annotated(id, kit.Wrote("stranger", "a", more...))}
	}
	invalid := []any{kit.Annotated("used", kit.Wrote("stranger", "a", agent, map[string]any{"commentId": 0}))}
	for name, row := range map[string]struct {
		fields   map[string]any
		status   string
		reported map[string]any
	}{
		"invalid, denied, agent and id": {map[string]any{"commentAnnotations": invalid}, "INVALID_ARGUMENT", nil},
		"no organization, denied and agent": {
			map[string]any{"organizationId": "nowhere", "commentAnnotations": by("used", agent)},
			"NOT_FOUND",
			map[string]any{"reason": "not-found", "resource": "organization", "id": "nowhere"},
		},
		"no document, denied and agent": {
			map[string]any{"documentId": "nothing", "commentAnnotations": by("used", agent)},
			"NOT_FOUND",
			map[string]any{"reason": "not-found", "resource": "document", "id": "nothing"},
		},
		"denied, agent and id": {
			map[string]any{"commentAnnotations": by("used", agent)},
			"NOT_FOUND",
			map[string]any{"reason": "not-found", "resource": "agent", "id": "unknown", "agentIds": []any{"unknown"}},
		},
		"denied and id": {
			map[string]any{"commentAnnotations": by("used")},
			"PERMISSION_DENIED",
			map[string]any{"reason": "permission-denied", "denied": []any{map[string]any{"index": 0.0, "userId": "stranger"}}},
		},
	} {
		data := kit.Checked(kit.Doc("d"))
		maps.Copy(data, row.fields)
		require.Equal(t, row.status, string(env.Refused(client.AddAnnotations, data).Status), name)
		if row.reported != nil {
			require.Equal(t, row.reported, kit.Details(env, client.AddAnnotations, data), name)
		}
	}
	require.Equal(t, redline.ProblemStatusAlreadyExists, env.Refused(client.AddAnnotations, kit.Doc("d", map[string]any{"commentAnnotations": by("used")})).Status)
}
