package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestWorkspaceGet_1_NoData(t *testing.T) {
	env := newWorkspace(t)
	for _, body := range []string{`{}`, `{"data":null}`, `{"data":[]}`, ``} {
		failure := kit.Send(t, env.Owner, "/v2/"+client.GetWorkspace, body, nil)
		require.Equal(t, http.StatusBadRequest, failure.HTTPStatus)
		require.Equal(t, redline.ProblemStatusInvalidArgument, failure.Status)
	}
}

func TestWorkspaceGet_2_TheFirstKeyStaysTheFirst(t *testing.T) {
	env := newWorkspace(t)
	var made []string
	for range 10 {
		made = append(made, kit.NewKey(env, nil).APIKey)
	}
	found := kit.Asked[kit.WorkspaceView](t, env.Owner, client.GetWorkspace, map[string]any{})
	require.Equal(t, env.Workspace.ID, found.ID)
	require.Equal(t, env.Workspace.Token, found.AuthToken)
	var ids []string
	for _, key := range found.Keys(t) {
		ids = append(ids, key.ID)
	}
	require.Equal(t, append([]string{env.Workspace.APIKey}, made...), ids)
}

func TestWorkspaceGet_3and4_OtherCredentials(t *testing.T) {
	env := newWorkspace(t)
	other := kit.Elsewhere(env)
	kit.Declined(t, env.Keyed, client.GetWorkspace, map[string]any{}, "UNAUTHENTICATED", "")
	for _, pair := range [][2]string{{env.Workspace.ID, other.Workspace.Token}, {other.Workspace.ID, env.Workspace.Token}, {"ws_unknown", env.Workspace.Token}, {env.Workspace.ID, ""}} {
		session := env.Owner.With(map[string]string{"x-svc-workspace-id": pair[0], "x-svc-workspace-auth-token": pair[1]})
		kit.Declined(t, session, client.GetWorkspace, map[string]any{}, "UNAUTHENTICATED", "")
	}
}

// The workspace's token may come in the header of a key's.
func TestWorkspaceGet_TheTokenInTheOtherHeader(t *testing.T) {
	env := newWorkspace(t)
	w := env.Workspace
	open := func(headers map[string]string) {
		kit.Asked[kit.WorkspaceView](t, env.Owner.With(headers), client.GetWorkspace, map[string]any{})
	}
	shut := func(headers map[string]string) {
		kit.Declined(t, env.Owner.With(headers), client.GetWorkspace, map[string]any{}, "UNAUTHENTICATED", "")
	}
	open(map[string]string{"x-svc-workspace-id": w.ID, "x-svc-auth-token": w.Token})
	shut(map[string]string{"x-svc-workspace-id": w.ID, "x-svc-auth-token": w.AuthToken})
	shut(map[string]string{"x-svc-auth-token": w.Token})
	both := map[string]string{"x-svc-workspace-id": w.ID, "x-svc-workspace-auth-token": w.Token, "x-svc-api-key": w.APIKey, "x-svc-auth-token": w.AuthToken}
	open(both)
	both["x-svc-workspace-auth-token"] = w.AuthToken
	shut(both)
}

func TestKeyCreate_1_TypeIsCaseSensitive(t *testing.T) {
	env := newWorkspace(t)
	for _, bad := range []any{"Production", "TESTING", "", nil, 1, "other"} {
		failure := kit.Declined(t, env.Owner, client.CreateKey, map[string]any{"ownerEmail": "a@example.com", "type": bad}, "INVALID_ARGUMENT", "")
		require.Equal(t, []string{"type"}, failure.Issues[0].Path)
	}
}

func TestKeyCreate_3_WithoutTokenNobodyGetsIn(t *testing.T) {
	env := newWorkspace(t)
	made := kit.NewKey(env, map[string]any{"createAuthToken": false})
	require.Nil(t, made.AuthToken)
	require.Equal(t, []redline.AuthToken{}, kit.Tokens(env, made.APIKey))
	for _, token := range []string{"", env.Workspace.AuthToken, env.Workspace.Token, made.APIKey} {
		require.False(t, kit.Opens(t, kit.KeySession(env.Keyed, made.APIKey, token)))
	}
	first := kit.Reset(env, made.APIKey)
	require.Regexp(t, `^kat_[A-Za-z0-9_-]{43}$`, first.Token)
	require.True(t, kit.Opens(t, kit.KeySession(env.Keyed, made.APIKey, first.Token)))
}

func TestKeyCreate_4_OneBadDomainRefusesTheCall(t *testing.T) {
	env := newWorkspace(t)
	failure := kit.Declined(t, env.Owner, client.CreateKey, map[string]any{
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
	kit.Declined(t, env.Owner, client.CreateKey, map[string]any{"ownerEmail": "a@example.com", "type": "testing", "allowedDomains": many}, "INVALID_ARGUMENT", "")
	require.Len(t, kit.Asked[kit.WorkspaceView](t, env.Owner, client.GetWorkspace, map[string]any{}).Keys(t), 1, "no key was made")

	made := kit.NewKey(env, map[string]any{"allowedDomains": append(many[:98], "https://www.Bücher.example:443/app", "*.Example.co.uk"), "addLocalHostToAllowedDomains": true})
	require.Equal(t, append(many[:98:98], "xn--bcher-kva.example", "*.example.co.uk", "localhost", "127.0.0.1"), kit.Tokens(env, made.APIKey)[0].Domains)
}

func TestKeyCreate_SettingsOfTheWorkspaceAreIgnoredAndNamed(t *testing.T) {
	env := newWorkspace(t)
	reply, err := env.Owner.Send(t.Context(), "/v2/"+client.CreateKey,
		[]byte(`{"data":{"ownerEmail":"a@example.com","type":"testing","useEmailService":true,"webhooks":{}}}`), nil)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, reply.HTTP)
	require.ElementsMatch(t, []string{"useEmailService", "webhooks"}, strings.Split(reply.Header.Get("x-svc-ignored-fields"), ","))
}

func TestKeysGet_1to3and5(t *testing.T) {
	env := newWorkspace(t)
	other := kit.Elsewhere(env)
	var ids []string
	for range 6 {
		ids = append([]string{kit.NewKey(env, nil).APIKey}, ids...)
	}
	ids = append(ids, env.Workspace.APIKey)
	found := kit.ListKeyPage(env, map[string]any{"apiKeys": []string{ids[1], "ak_unknown", other.Workspace.APIKey}})
	require.Len(t, found.Data, 1, "unknown ids are not in the answer")
	require.Empty(t, found.NextPageToken)

	var seen []string
	page := kit.ListKeyPage(env, map[string]any{"pageSize": 2})
	first := page
	for {
		for _, key := range page.Data {
			seen = append(seen, key.ID)
		}
		if page.NextPageToken == "" {
			break
		}
		kit.NewKey(env, nil)
		page = kit.ListKeyPage(env, map[string]any{"pageSize": 2, "pageToken": page.NextPageToken})
	}
	require.Equal(t, ids, seen, "newest first; keys made meanwhile neither repeat nor hide older ones")

	for name, data := range map[string]map[string]any{
		"empty filter": {"apiKeys": []string{}}, "no page": {"pageSize": 0}, "long page": {"pageSize": 101}, "half": {"pageSize": 1.5},
		"text": {"pageSize": "5"}, "many ids": {"apiKeys": make([]string, 101)}, "damaged": {"pageToken": first.NextPageToken + "x"},
		"empty token": {"pageToken": ""}, "other filter": {"pageToken": first.NextPageToken, "apiKeys": []string{ids[0]}},
	} {
		failure := kit.Declined(t, env.Owner, client.ListKeys, data, "INVALID_ARGUMENT", "")
		require.NotEmpty(t, failure.Issues, name)
	}
	kit.Declined(t, other.Owner, client.ListKeys, map[string]any{"pageToken": first.NextPageToken}, "INVALID_ARGUMENT", "")
}

func TestAuthTokensGet_1to3and5(t *testing.T) {
	env := newWorkspace(t)
	other := kit.Elsewhere(env)
	found := kit.Tokens(env, env.Workspace.APIKey)
	require.Len(t, found, 1)
	require.Equal(t, redline.AuthToken{Token: env.Workspace.AuthToken, Name: "Default Auth Token", Domains: []string{}}, found[0])
	require.True(t, kit.Opens(t, kit.KeySession(env.Keyed, env.Workspace.APIKey, found[0].Token)))
	require.Equal(t, found, kit.Tokens(env, env.Workspace.APIKey), "readable again and again")
	after := kit.Reset(env, env.Workspace.APIKey)
	require.Equal(t, []redline.AuthToken{after}, kit.Tokens(env, env.Workspace.APIKey), "only the new one")
	kit.Declined(t, env.Owner, client.GetTokens, map[string]any{"apiKey": other.Workspace.APIKey}, "NOT_FOUND", "")
	kit.Declined(t, env.Owner, client.GetTokens, map[string]any{}, "INVALID_ARGUMENT", "")
}

func TestAuthTokenReset_2_TenAtOnce(t *testing.T) {
	env := newWorkspace(t)
	made := make([]redline.NewAuthToken, 10)
	kit.Concurrently(10, func(i int) {
		answer, err := client.Call[redline.NewAuthTokenResult](t.Context(), env.Owner, client.ResetToken, map[string]any{"apiKey": env.Workspace.APIKey})
		assert.NoError(t, err, "all succeed")
		made[i] = answer.Data
	})
	live := kit.Tokens(env, env.Workspace.APIKey)
	require.Len(t, live, 1)
	working := 0
	for _, reset := range made {
		if kit.Opens(t, kit.KeySession(env.Keyed, env.Workspace.APIKey, reset.NewAuthToken.Token)) {
			require.Equal(t, live[0].Token, reset.NewAuthToken.Token)
			working++
		}
	}
	require.Equal(t, 1, working)
	require.False(t, kit.Opens(t, env.Keyed))
}

func TestAuthTokenReset_3and4_NothingElseChanges(t *testing.T) {
	env := newWorkspace(t)
	other := kit.Elsewhere(env)
	made := kit.NewKey(env, map[string]any{"apiKeyName": "Desk", "allowedDomains": []string{"b.example.com", "a.example.com"}})
	before := kit.Tokens(env, made.APIKey)[0]
	definition := kit.Instant(env)
	after := kit.Reset(env, made.APIKey)
	require.NotEqual(t, before.Token, after.Token)
	require.Equal(t, before.Name, after.Name)
	require.Equal(t, []string{"b.example.com", "a.example.com"}, after.Domains)
	keys := kit.ListKeyPage(env, map[string]any{"apiKeys": []string{made.APIKey}})
	require.Equal(t, redline.APIKey{ID: made.APIKey, APIKeyName: "Desk", Type: "testing"}, keys.Data[0])
	_, err := client.Call[json.RawMessage](t.Context(), kit.KeySession(env.Keyed, made.APIKey, after.Token), client.GetDefinition, map[string]any{"definitionId": definition})
	require.NoError(t, err)
	kit.Declined(t, env.Owner, client.ResetToken, map[string]any{"apiKey": other.Workspace.APIKey}, "NOT_FOUND", "")
	kit.Declined(t, env.Owner, client.ResetToken, map[string]any{"apiKey": "ak_unknown"}, "NOT_FOUND", "")
}

func TestKeyCreate_2_TheTokenWorksInEveryProcessAtOnce(t *testing.T) {
	env := newWorkspace(t)
	second := beside(env)
	for range 15 {
		made := kit.NewKey(env, nil)
		require.True(t, kit.Opens(t, kit.KeySession(kit.Public(second), made.APIKey, *made.AuthToken)))
	}
}

func TestAuthTokenReset_1_TheOldOneIsDeadInEveryProcess(t *testing.T) {
	env := newWorkspace(t)
	second := beside(env)
	token := env.Workspace.AuthToken
	for range 20 {
		require.True(t, kit.Opens(t, kit.KeySession(kit.Public(second), env.Workspace.APIKey, token)), "any cache is warm")
		fresh := kit.Reset(env, env.Workspace.APIKey)
		for _, at := range []*kit.Env{env, second} {
			require.False(t, kit.Opens(t, kit.KeySession(kit.Public(at), env.Workspace.APIKey, token)))
			require.True(t, kit.Opens(t, kit.KeySession(kit.Public(at), env.Workspace.APIKey, fresh.Token)))
		}
		token = fresh.Token
	}
}

func TestAuthTokenEnsure_1and4_OneTokenIsMadeAndStays(t *testing.T) {
	env := newWorkspace(t)
	key := kit.NewKey(env, map[string]any{"createAuthToken": false}).APIKey
	answers := make(chan redline.EnsuredAuthToken, 20)
	var calls sync.WaitGroup
	for range cap(answers) {
		calls.Go(func() {
			answers <- kit.Asked[redline.EnsuredAuthToken](t, env.Owner, client.EnsureToken, map[string]any{"apiKey": key})
		})
	}
	calls.Wait()
	close(answers)
	made, tokens := 0, map[string]bool{}
	for answer := range answers {
		tokens[answer.AuthToken] = true
		if answer.Created {
			made++
		}
	}
	require.Equal(t, 1, made)
	require.Len(t, tokens, 1)
	require.True(t, tokens[kit.Tokens(env, key)[0].Token])

	before := kit.Tokens(env, env.Workspace.APIKey)[0].Token
	got := kit.Asked[redline.EnsuredAuthToken](t, env.Owner, client.EnsureToken, map[string]any{"apiKey": env.Workspace.APIKey})
	require.Equal(t, []any{before, false}, []any{got.AuthToken, got.Created})
	env.Call(client.GetDomains, map[string]any{}, nil)
	own := kit.Asked[redline.EnsuredAuthToken](t, env.Owner, client.EnsureToken, map[string]any{})
	require.Equal(t, redline.EnsuredAuthToken{AuthToken: env.Workspace.Token}, own)
	kit.Declined(t, env.Owner, client.EnsureToken, map[string]any{"apiKey": kit.Elsewhere(env).Workspace.APIKey}, "NOT_FOUND", "")
}

func TestKeyCopy_2and3_TheDomainsBecomeTheSources(t *testing.T) {
	env := newWorkspace(t)
	source := kit.NewKey(env, map[string]any{"allowedDomains": []string{"b.test", "a.test"}}).APIKey
	target := kit.NewKey(env, map[string]any{"allowedDomains": []string{"c.test"}})
	domains := func() []string { return kit.Tokens(env, target.APIKey)[0].Domains }
	copied := func(from, to string) map[string]any { return map[string]any{"sourceApiKey": from, "targetApiKey": to} }
	kit.Declined(t, env.Owner, client.CopyKey, copied(kit.Elsewhere(env).Workspace.APIKey, target.APIKey), "NOT_FOUND", "")
	kit.Declined(t, env.Owner, client.CopyKey, copied(source, source), "INVALID_ARGUMENT", "")
	require.Equal(t, []string{"c.test"}, domains())
	kit.Asked[map[string]any](t, env.Owner, client.CopyKey, copied(source, target.APIKey))
	require.Equal(t, []string{"b.test", "a.test"}, domains())
	require.Equal(t, *target.AuthToken, kit.Tokens(env, target.APIKey)[0].Token, "the token stays")
	kit.Asked[map[string]any](t, env.Owner, client.CopyKey, copied(env.Workspace.APIKey, target.APIKey))
	require.Empty(t, domains())
}

func TestKeyCreate_5_ProductionNeedsThePlanOnlyWhenItIsMade(t *testing.T) {
	env := newWorkspace(t)
	production := map[string]any{"ownerEmail": "a@example.com", "type": "production"}
	kit.Declined(t, env.Owner, client.CreateKey, production, "FAILED_PRECONDITION", "plan-required")
	operate(env).SetPlan(env.Workspace.ID, "paid")
	made := kit.NewKey(env, map[string]any{"type": "production"})
	operate(env).SetPlan(env.Workspace.ID, "free")
	require.True(t, kit.Opens(t, kit.KeySession(env.Keyed, made.APIKey, *made.AuthToken)))
	kit.Declined(t, env.Owner, client.CreateKey, production, "FAILED_PRECONDITION", "plan-required")
	for _, key := range kit.Asked[kit.WorkspaceView](t, env.Owner, client.GetWorkspace, map[string]any{}).Keys(t) {
		if key.ID == made.APIKey {
			require.Equal(t, "Desk Production API Key", key.APIKeyName)
			require.Equal(t, redline.APIKeyTypeProduction, key.Type)
		}
	}
}

func TestKeyCreate_6_QuotaUnderAHundredParallelCalls(t *testing.T) {
	env := newWorkspace(t)
	operate(env).SetPlan(env.Workspace.ID, "paid")
	for _, kind := range []struct {
		name string
		most int
	}{{"testing", 49}, {"production", 10}} {
		var mu sync.Mutex
		outcomes := map[string]int{}
		kit.Concurrently(100, func(int) {
			_, err := client.Call[json.RawMessage](t.Context(), env.Owner, client.CreateKey, map[string]any{"ownerEmail": "a@example.com", "type": kind.name})
			mu.Lock()
			defer mu.Unlock()
			if failure := redline.AsError(err); failure != nil {
				outcomes[string(redline.ErrorDetailsReason(failure.Status+" ")+failure.Reason)]++
				return
			}
			assert.NoError(t, err)
			outcomes["OK"]++
		})
		require.Equal(t, map[string]int{"OK": kind.most, "RESOURCE_EXHAUSTED key-quota": 100 - kind.most}, outcomes, kind.name)
	}
}

func TestKeyUpdate_1to4(t *testing.T) {
	env := newWorkspace(t)
	other := kit.Elsewhere(env)
	key := env.Workspace.APIKey
	rename := func(apiKey, name string) map[string]any { return map[string]any{"apiKey": apiKey, "apiKeyName": name} }
	kit.Declined(t, env.Owner, client.UpdateKey, rename(other.Workspace.APIKey, "mine now"), "NOT_FOUND", "")
	for _, bad := range []any{"", "  ", strings.Repeat("x", 201), nil} {
		kit.Declined(t, env.Owner, client.UpdateKey, map[string]any{"apiKey": key, "apiKeyName": bad}, "INVALID_ARGUMENT", "")
	}
	before := kit.Tokens(env, key)
	second := kit.NewKey(env, map[string]any{"apiKeyName": "Desk"})
	reply, err := env.Owner.Send(t.Context(), "/v2/"+client.UpdateKey, fmt.Appendf(nil, `{"data":{"apiKey":%q,"apiKeyName":"Desk"}}`, key), nil)
	require.NoError(t, err)
	require.Regexp(t, `"data":null`, string(reply.Body))
	for _, seen := range kit.Asked[kit.WorkspaceView](t, env.Owner, client.GetWorkspace, map[string]any{}).Keys(t) {
		require.Equal(t, "Desk", seen.APIKeyName, "two keys may share a name")
	}
	for _, seen := range kit.Asked[[]redline.APIKey](t, env.Owner, client.ListKeys, map[string]any{"apiKeys": []string{key, second.APIKey}}) {
		require.Equal(t, "Desk", seen.APIKeyName)
	}
	require.Equal(t, before, kit.Tokens(env, key))
	require.True(t, kit.Opens(t, env.Keyed))
}

func TestKeysGet_4_AHundredKeysAreOnePage(t *testing.T) {
	env := newWorkspace(t)
	operate(env).SetLimit(env.Workspace.ID, "keys-testing", 100)
	for range 99 {
		kit.NewKey(env, map[string]any{"createAuthToken": false})
	}
	page := kit.ListKeyPage(env, map[string]any{})
	require.Len(t, page.Data, 100)
	require.Empty(t, page.NextPageToken)
	kit.Declined(t, env.Owner, client.CreateKey, map[string]any{"ownerEmail": "a@example.com", "type": "testing"}, "RESOURCE_EXHAUSTED", "key-quota")
}
