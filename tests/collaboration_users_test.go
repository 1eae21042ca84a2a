package tests

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
)

// itemView is one entry of a per-item result.
type itemView struct {
	Success bool   `json:"success"`
	ID      string `json:"id"`
	Message string `json:"message"`
	Code    string `json:"code"`
}

type itemsView = client.Wrapped[map[string]itemView]

// items makes a per-item write.
func (s *scene) items(operation string, data any) map[string]itemView {
	s.t.Helper()
	var found itemsView
	s.call(operation, data, &found)
	require.Equal(s.t, "success", found.Status)
	return found.Data
}

// users are those of a call, by their ids.
func users(ids ...string) []map[string]any {
	list := make([]map[string]any, len(ids))
	for i, id := range ids {
		list[i] = map[string]any{"userId": id, "name": "Name of " + short(id)}
	}
	return list
}

// oddIDs are ids that must never be taken for a path, a tag or a pattern.
var oddIDs = []string{"{{x}}", "🇩🇪", "a%2Fb", "a/b", "../x", `'";--`, "__proto__", " ", "\u03a9", "\u2126", "é", "e\u0301"}

// details is error.details of an operation that is refused.
func (s *scene) details(operation string, data any) map[string]any {
	s.t.Helper()
	body, err := json.Marshal(map[string]any{"data": data})
	require.NoError(s.t, err)
	reply, err := s.keyed.Send(s.ctx, "/v2/"+operation, body, nil)
	require.NoError(s.t, err)
	var answer struct {
		Error struct {
			Details map[string]any `json:"details"`
		} `json:"error"`
	}
	require.NoError(s.t, json.Unmarshal(reply.Body, &answer))
	require.NotNil(s.t, answer.Error.Details)
	return answer.Error.Details
}

func TestUsersUpdate_1and4_EntriesAndRefusals(t *testing.T) {
	s := begin(t)
	all := s.items("users/update", map[string]any{"organizationId": "acme", "users": users("ann", "bob")})
	require.Equal(t, []any{false, "not-found", false}, []any{all["ann"].Success, all["ann"].Code, all["bob"].Success})
	s.items("users/add", map[string]any{"organizationId": "acme", "users": users("ann", "bob")})
	s.refusedAs("INVALID_ARGUMENT", "users/update", map[string]any{"organizationId": "acme", "users": []map[string]any{
		{"userId": "ann", "name": "New"}, {"userId": "bob", "accessRole": "owner"},
	}})
	s.refusedAs("INVALID_ARGUMENT", "users/update", map[string]any{"organizationId": "acme", "documentId": "d", "folderId": "f", "users": users("ann")})
	flow := s.signOff()
	s.reviewed(flow, "approve", "", at("acme", ""))
	require.Equal(t, "Name of ann", s.judgments(nil).Results[0].ActionUser["name"], "nothing was changed for anyone")
}

func TestUsersUpdate_3_ConcurrentChangesSurvive(t *testing.T) {
	s := begin(t)
	s.items("users/add", map[string]any{"organizationId": "acme", "users": users("ann")})
	changes := []map[string]any{{"userId": "ann", "name": "Ann"}, {"userId": "ann", "email": "ann@example.com"}}
	together(len(changes), func(i int) {
		_, err := client.Call[json.RawMessage](s.ctx, s.keyed, "users/update", map[string]any{"organizationId": "acme", "users": changes[i : i+1]})
		require.NoError(t, err)
	})
	s.reviewed(s.signOff(), "approve", "", at("acme", ""))
	require.Equal(t, map[string]any{"userId": "ann", "name": "Ann", "email": "ann@example.com"}, s.judgments(nil).Results[0].ActionUser)
}

func TestUsersDelete_1to4(t *testing.T) {
	s := begin(t)
	s.items("users/add", map[string]any{"organizationId": "acme", "documentId": "d", "createDocument": true, "users": users("ann")})
	s.items("users/add", map[string]any{"organizationId": "acme", "users": users("bob")})
	removed := s.items("users/delete", map[string]any{"organizationId": "acme", "userIds": []string{"ann", "ann", "eve"}})
	require.Len(t, removed, 2)
	require.True(t, removed["ann"].Success, "a user with document grants only")
	require.Equal(t, []any{false, "not-found"}, []any{removed["eve"].Success, removed["eve"].Code})
	s.items("users/add", map[string]any{"organizationId": "acme", "users": users("ann")})
	require.Equal(t, "not-member", s.items("users/update", map[string]any{"organizationId": "acme", "documentId": "d", "users": users("ann")})["ann"].Code,
		"no old grant comes back")
	require.False(t, s.items("users/delete", map[string]any{"organizationId": "nowhere", "userIds": []string{"bob"}})["bob"].Success)
	require.False(t, s.elsewhere().items("users/delete", map[string]any{"organizationId": "acme", "userIds": []string{"bob"}})["bob"].Success)
	s.reviewed(s.signOff(), "approve", "", at("acme", ""))
	require.Equal(t, 1, s.judgments(nil).Total)
	require.True(t, s.items("users/delete", map[string]any{"organizationId": "acme", "userIds": []string{"bob"}})["bob"].Success)
	require.Equal(t, 1, s.judgments(nil).Total, "who judged is still there")
	require.True(t, s.items("users/delete", map[string]any{"organizationId": "acme", "userIds": []string{"ann"}})["ann"].Success)
	require.Equal(t, 0, s.judgments(nil).Total)
}

func TestUsersDelete_TakesTheJudgmentsOfTheOrganization(t *testing.T) {
	s := begin(t)
	flow := s.signOff()
	for _, organization := range []string{"acme", "other"} {
		s.items("users/add", map[string]any{"organizationId": organization, "users": users("ann")})
		s.reviewed(flow, "approve", "", at(organization, ""))
	}
	require.Equal(t, 2, s.judgments(nil).Total)
	s.items("users/delete", map[string]any{"organizationId": "acme", "userIds": []string{"ann"}})
	require.Equal(t, 1, s.judgments(nil).Total)
	require.Equal(t, 1, s.judgments(map[string]any{"organizationId": "other"}).Total)
}

// short is the beginning of an id, which fits into a name.
func short(id string) string {
	runes := []rune(id)
	return string(runes[:min(len(runes), 20)])
}

func TestUsersDelete_DropsWhatWaitsInTheMail(t *testing.T) {
	l := newLab(t)
	s := l.begin(l.start("api"))
	host, config := s.ownHost()
	require.NoError(t, host.Open())
	s.mailBy(config)
	gone, stays, later := mailbox(), mailbox(), mailbox()
	s.people(user("bob", "Bob", gone), user("eve", "Eve", stays))
	s.call(addAnnotations, made("d", annotated("a", wrote("ann", "Hi {{bob}}, hi {{eve}}", loud))), nil)
	require.True(t, s.items("users/delete", map[string]any{"organizationId": "acme", "userIds": []string{"bob"}})["bob"].Success)
	l.start("worker")
	eventually(t, "the mail to who stays", func() bool { return len(host.Letters()) > 0 })
	s.mention("cat", later)
	eventually(t, "a later mail", func() bool { return len(host.Letters()) > 1 })
	require.Equal(t, []string{stays, later}, []string{host.Letters()[0].To, host.Letters()[1].To})
}
