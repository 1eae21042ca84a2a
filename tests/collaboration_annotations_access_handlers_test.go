package tests

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/require"
)

// checked makes an add ask whether its authors may write.
func checked(data map[string]any) map[string]any {
	data["verifyUserPermissions"] = true
	return data
}

// member tells whether a user has a place in an organization: the change of
// nothing finds them or does not.
func (s *scene) member(organizationID, user string) bool {
	s.t.Helper()
	found := s.items("users/update", map[string]any{"organizationId": organizationID, "users": []map[string]any{{"userId": user}}})[user]
	if !found.Success {
		require.Equal(s.t, "not-found", found.Code)
	}
	return found.Success
}

// Whoever may not write does not become a member by trying, and who is not
// asked about does.
func TestAnnotationsAdd_ADeniedAuthorBecomesNoMember(t *testing.T) {
	s := begin(t)
	s.call(updateSettings, map[string]any{"defaultDocumentAccessType": "organizationPrivate", "requireAutoOrgUser": true}, nil)
	s.items("users/add", map[string]any{"organizationId": "acme", "users": users("ann")})
	require.False(t, s.mayWrite("stranger", "d"), "the document is not there yet")
	require.True(t, s.mayWrite("ann", "d"))
	require.False(t, s.mayWrite("stranger", "d"))
	require.False(t, s.member("acme", "stranger"))
	both := checked(made("d", annotated("a", wrote("ann", "a"), wrote("stranger", "b"))))
	require.Equal(t, []any{map[string]any{"index": 0.0, "userId": "stranger"}}, s.details(addAnnotations, both)["denied"])
	require.False(t, s.member("acme", "stranger"))
	s.annotate(made("d", annotated("a", wrote("stranger", "a"))))
	require.True(t, s.member("acme", "stranger"), "without the check an author becomes one")
	require.True(t, s.mayWrite("stranger", "d"))
}

// Of several faults the first in the order of checking is told.
func TestAnnotationsAdd_WhichFaultIsReported(t *testing.T) {
	s := begin(t)
	s.call(updateSettings, map[string]any{"defaultDocumentAccessType": "organizationPrivate"}, nil)
	s.annotate(made("d", annotated("used", wrote("ann", "a"))))
	agent := map[string]any{"agent": map[string]any{
		"agentSource": "svc", "agentId": "unknown", "reason": map[string]any{"title": "t", "description": "d", "severity": "low"},
	}}
	by := func(id string, more ...map[string]any) []any {
		return []any{annotated(id, wrote("stranger", "a", more...))}
	}
	invalid := []any{annotated("used", wrote("stranger", "a", agent, map[string]any{"commentId": 0}))}
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
		data := checked(doc("d"))
		maps.Copy(data, row.fields)
		require.Equal(t, row.status, s.refused(addAnnotations, data).Status, name)
		if row.reported != nil {
			require.Equal(t, row.reported, s.details(addAnnotations, data), name)
		}
	}
	require.Equal(t, "ALREADY_EXISTS", s.refused(addAnnotations, doc("d", map[string]any{"commentAnnotations": by("used")})).Status)
}
