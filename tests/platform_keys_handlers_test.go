package tests

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
)

func TestWorkspaceGet_1_NoData(t *testing.T) {
	s := begin(t)
	for _, body := range []string{`{}`, `{"data":null}`, `{"data":[]}`, ``} {
		failure := send(t, s.owner, "/v2/workspace/get", body, nil)
		require.Equal(t, http.StatusBadRequest, failure.HTTP)
		require.Equal(t, "INVALID_ARGUMENT", failure.Status)
	}
}

func TestWorkspaceGet_2_TheFirstKeyStaysTheFirst(t *testing.T) {
	s := begin(t)
	var made []string
	for range 10 {
		made = append(made, s.newKey(nil).APIKey)
	}
	found := asked[workspaceView](t, s.owner, getWorkspace, map[string]any{})
	require.Equal(t, s.workspace.ID, found.ID)
	require.Equal(t, s.workspace.Token, found.AuthToken)
	var ids []string
	for _, key := range found.keys(t) {
		ids = append(ids, key.ID)
	}
	require.Equal(t, append([]string{s.workspace.APIKey}, made...), ids)
}

func TestWorkspaceGet_3and4_OtherCredentials(t *testing.T) {
	s := begin(t)
	other := s.elsewhere()
	declined(t, s.keyed, getWorkspace, map[string]any{}, "UNAUTHENTICATED", "")
	for _, pair := range [][2]string{{s.workspace.ID, other.workspace.Token}, {other.workspace.ID, s.workspace.Token}, {"ws_unknown", s.workspace.Token}, {s.workspace.ID, ""}} {
		session := s.owner.With(map[string]string{"x-svc-workspace-id": pair[0], "x-svc-workspace-auth-token": pair[1]})
		declined(t, session, getWorkspace, map[string]any{}, "UNAUTHENTICATED", "")
	}
}

func TestKeyCreate_1_TypeIsCaseSensitive(t *testing.T) {
	s := begin(t)
	for _, bad := range []any{"Production", "TESTING", "", nil, 1, "other"} {
		failure := declined(t, s.owner, createKey, map[string]any{"ownerEmail": "a@example.com", "type": bad}, "INVALID_ARGUMENT", "")
		require.Equal(t, []string{"type"}, failure.Issues[0].Path)
	}
}

func TestKeyCreate_3_WithoutTokenNobodyGetsIn(t *testing.T) {
	s := begin(t)
	made := s.newKey(map[string]any{"createAuthToken": false})
	require.Nil(t, made.AuthToken)
	require.Equal(t, []tokenView{}, s.tokens(made.APIKey))
	for _, token := range []string{"", s.workspace.AuthToken, s.workspace.Token, made.APIKey} {
		require.False(t, opens(t, keySession(s.keyed, made.APIKey, token)))
	}
	first := s.reset(made.APIKey)
	require.Regexp(t, `^kat_[A-Za-z0-9_-]{43}$`, first.Token)
	require.True(t, opens(t, keySession(s.keyed, made.APIKey, first.Token)))
}

func TestKeyCreate_4_OneBadDomainRefusesTheCall(t *testing.T) {
	s := begin(t)
	failure := declined(t, s.owner, createKey, map[string]any{
		"ownerEmail": "a@example.com", "type": "testing", "allowedDomains": []string{"ok.example.com", "*", "https://me@x.example.com", "*.co.uk", "also.example.com"},
	}, "INVALID_ARGUMENT", "")
	var paths []string
	for _, issue := range failure.Issues {
		paths = append(paths, strings.Join(issue.Path, "."))
	}
	require.Equal(t, []string{"allowedDomains.1", "allowedDomains.2", "allowedDomains.3"}, paths)
	many := make([]string, 101)
	for i := range many {
		many[i] = fmt.Sprintf("d%d.example.com", i)
	}
	declined(t, s.owner, createKey, map[string]any{"ownerEmail": "a@example.com", "type": "testing", "allowedDomains": many}, "INVALID_ARGUMENT", "")
	require.Len(t, asked[workspaceView](t, s.owner, getWorkspace, map[string]any{}).keys(t), 1, "no key was made")

	made := s.newKey(map[string]any{"allowedDomains": append(many[:98], "https://www.Bücher.example:443/app", "*.Example.co.uk"), "addLocalHostToAllowedDomains": true})
	require.Equal(t, append(many[:98:98], "xn--bcher-kva.example", "*.example.co.uk", "localhost", "127.0.0.1"), s.tokens(made.APIKey)[0].Domains)
}

func TestKeyCreate_SettingsOfTheWorkspaceAreIgnoredAndNamed(t *testing.T) {
	s := begin(t)
	reply, err := s.owner.Send(t.Context(), "/v2/workspace/apikey/create",
		[]byte(`{"data":{"ownerEmail":"a@example.com","type":"testing","useEmailService":true,"webhooks":{}}}`), nil)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, reply.HTTP)
	require.ElementsMatch(t, []string{"useEmailService", "webhooks"}, strings.Split(reply.Header.Get("x-svc-ignored-fields"), ","))
}

func TestKeysGet_1to3and5(t *testing.T) {
	s := begin(t)
	other := s.elsewhere()
	var ids []string
	for range 6 {
		ids = append([]string{s.newKey(nil).APIKey}, ids...)
	}
	ids = append(ids, s.workspace.APIKey)
	found := s.keyPage(map[string]any{"apiKeys": []string{ids[1], "ak_unknown", other.workspace.APIKey}})
	require.Len(t, found.Data, 1, "unknown ids are not in the answer")
	require.Nil(t, found.NextPageToken)

	var seen []string
	page := s.keyPage(map[string]any{"pageSize": 2})
	first := page
	for {
		for _, key := range page.Data {
			seen = append(seen, key.ID)
		}
		if page.NextPageToken == nil {
			break
		}
		s.newKey(nil)
		page = s.keyPage(map[string]any{"pageSize": 2, "pageToken": *page.NextPageToken})
	}
	require.Equal(t, ids, seen, "newest first; keys made meanwhile neither repeat nor hide older ones")

	for name, data := range map[string]map[string]any{
		"empty filter": {"apiKeys": []string{}}, "no page": {"pageSize": 0}, "long page": {"pageSize": 101}, "half": {"pageSize": 1.5},
		"text": {"pageSize": "5"}, "many ids": {"apiKeys": make([]string, 101)}, "damaged": {"pageToken": *first.NextPageToken + "x"},
		"empty token": {"pageToken": ""}, "other filter": {"pageToken": *first.NextPageToken, "apiKeys": []string{ids[0]}},
	} {
		failure := declined(t, s.owner, listKeys, data, "INVALID_ARGUMENT", "")
		require.NotEmpty(t, failure.Issues, name)
	}
	declined(t, other.owner, listKeys, map[string]any{"pageToken": *first.NextPageToken}, "INVALID_ARGUMENT", "")
}

func TestAuthTokensGet_1to3and5(t *testing.T) {
	s := begin(t)
	other := s.elsewhere()
	found := s.tokens(s.workspace.APIKey)
	require.Len(t, found, 1)
	require.Equal(t, tokenView{Token: s.workspace.AuthToken, Name: "Default Auth Token", Domains: []string{}}, found[0])
	require.True(t, opens(t, keySession(s.keyed, s.workspace.APIKey, found[0].Token)))
	require.Equal(t, found, s.tokens(s.workspace.APIKey), "readable again and again")
	after := s.reset(s.workspace.APIKey)
	require.Equal(t, []tokenView{after}, s.tokens(s.workspace.APIKey), "only the new one")
	declined(t, s.owner, getTokens, map[string]any{"apiKey": other.workspace.APIKey}, "NOT_FOUND", "")
	declined(t, s.owner, getTokens, map[string]any{}, "INVALID_ARGUMENT", "")
}

func TestAuthTokenReset_2_TenAtOnce(t *testing.T) {
	s := begin(t)
	made := make([]tokenReset, 10)
	together(10, func(i int) {
		answer, err := client.Call[client.Wrapped[tokenReset]](t.Context(), s.owner, resetToken, map[string]any{"apiKey": s.workspace.APIKey})
		assert.NoError(t, err, "all succeed")
		made[i] = answer.Data
	})
	live := s.tokens(s.workspace.APIKey)
	require.Len(t, live, 1)
	working := 0
	for _, reset := range made {
		if opens(t, keySession(s.keyed, s.workspace.APIKey, reset.NewAuthToken.Token)) {
			require.Equal(t, live[0].Token, reset.NewAuthToken.Token)
			working++
		}
	}
	require.Equal(t, 1, working)
	require.False(t, opens(t, s.keyed))
}

func TestAuthTokenReset_3and4_NothingElseChanges(t *testing.T) {
	s := begin(t)
	other := s.elsewhere()
	made := s.newKey(map[string]any{"apiKeyName": "Desk", "allowedDomains": []string{"b.example.com", "a.example.com"}})
	before := s.tokens(made.APIKey)[0]
	definition := s.instant()
	after := s.reset(made.APIKey)
	require.NotEqual(t, before.Token, after.Token)
	require.Equal(t, before.Name, after.Name)
	require.Equal(t, []string{"b.example.com", "a.example.com"}, after.Domains)
	keys := s.keyPage(map[string]any{"apiKeys": []string{made.APIKey}})
	require.Equal(t, client.KeyView{ID: made.APIKey, Name: "Desk", Type: "testing"}, keys.Data[0])
	_, err := client.Call[json.RawMessage](t.Context(), keySession(s.keyed, made.APIKey, after.Token), "workflow/definitions/get", map[string]any{"definitionId": definition})
	require.NoError(t, err)
	declined(t, s.owner, resetToken, map[string]any{"apiKey": other.workspace.APIKey}, "NOT_FOUND", "")
	declined(t, s.owner, resetToken, map[string]any{"apiKey": "ak_unknown"}, "NOT_FOUND", "")
}
