package tests

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
	"github.com/redline-svc/redline/tests/receiver"
)

func (s *scene) newKey(change map[string]any) newKey {
	s.t.Helper()
	data := map[string]any{"ownerEmail": "desk@example.com", "type": "testing"}
	maps.Copy(data, change)
	return asked[newKey](s.t, s.owner, createKey, data)
}

func (s *scene) tokens(apiKey string) []tokenView {
	s.t.Helper()
	found := asked[keyTokens](s.t, s.owner, getTokens, map[string]any{"apiKey": apiKey})
	require.Equal(s.t, apiKey, found.APIKey)
	return found.AuthTokens
}

func (s *scene) reset(apiKey string) tokenView {
	s.t.Helper()
	found := asked[tokenReset](s.t, s.owner, resetToken, map[string]any{"apiKey": apiKey})
	require.Equal(s.t, apiKey, found.APIKey)
	return found.NewAuthToken
}

func TestKeyCreate_2_TheTokenWorksInEveryProcessAtOnce(t *testing.T) {
	lab := newLab(t)
	first, second := lab.start("api"), lab.start("api")
	s := lab.begin(first)
	for range 20 {
		made := s.newKey(nil)
		require.True(t, opens(t, keySession(client.Public(second.URL), made.APIKey, *made.AuthToken)))
	}
}

func TestKeyCreate_5_ProductionNeedsThePlanOnlyWhenItIsMade(t *testing.T) {
	s := begin(t)
	production := map[string]any{"ownerEmail": "a@example.com", "type": "production"}
	declined(t, s.owner, createKey, production, "FAILED_PRECONDITION", "plan-required")
	operate(t, "workspace", "set-plan", s.workspace.ID, "paid")
	made := s.newKey(map[string]any{"type": "production"})
	operate(t, "workspace", "set-plan", s.workspace.ID, "free")
	require.True(t, opens(t, keySession(s.keyed, made.APIKey, *made.AuthToken)))
	declined(t, s.owner, createKey, production, "FAILED_PRECONDITION", "plan-required")
	for _, key := range asked[workspaceView](t, s.owner, getWorkspace, map[string]any{}).keys(t) {
		if key.ID == made.APIKey {
			require.Equal(t, "Desk Production API Key", key.Name)
			require.Equal(t, "production", key.Type)
		}
	}
}

func TestKeyCreate_6_QuotaUnderAHundredParallelCalls(t *testing.T) {
	s := begin(t)
	operate(t, "workspace", "set-plan", s.workspace.ID, "paid")
	for _, kind := range []struct {
		name string
		most int
	}{{"testing", 49}, {"production", 10}} {
		var mu sync.Mutex
		outcomes := map[string]int{}
		together(100, func(int) {
			_, err := client.Call[json.RawMessage](t.Context(), s.owner, createKey, map[string]any{"ownerEmail": "a@example.com", "type": kind.name})
			mu.Lock()
			defer mu.Unlock()
			if failure := client.Refusal(err); failure != nil {
				outcomes[failure.Status+" "+failure.Reason]++
				return
			}
			assert.NoError(t, err)
			outcomes["OK"]++
		})
		require.Equal(t, map[string]int{"OK": kind.most, "RESOURCE_EXHAUSTED key-quota": 100 - kind.most}, outcomes, kind.name)
	}
}

func TestKeyUpdate_1to4(t *testing.T) {
	s := begin(t)
	other := s.elsewhere()
	key := s.workspace.APIKey
	rename := func(apiKey, name string) map[string]any { return map[string]any{"apiKey": apiKey, "apiKeyName": name} }
	declined(t, s.owner, updateKey, rename(other.workspace.APIKey, "mine now"), "NOT_FOUND", "")
	for _, bad := range []any{"", "  ", strings.Repeat("x", 201), nil} {
		declined(t, s.owner, updateKey, map[string]any{"apiKey": key, "apiKeyName": bad}, "INVALID_ARGUMENT", "")
	}
	before := s.tokens(key)
	second := s.newKey(map[string]any{"apiKeyName": "Desk"})
	reply, err := s.owner.Send(t.Context(), "/v2/workspace/apikey/update", fmt.Appendf(nil, `{"data":{"apiKey":%q,"apiKeyName":"Desk"}}`, key), nil)
	require.NoError(t, err)
	require.Regexp(t, `"data":null`, string(reply.Body))
	for _, seen := range asked[workspaceView](t, s.owner, getWorkspace, map[string]any{}).keys(t) {
		require.Equal(t, "Desk", seen.Name, "two keys may share a name")
	}
	for _, seen := range asked[[]client.KeyView](t, s.owner, listKeys, map[string]any{"apiKeys": []string{key, second.APIKey}}) {
		require.Equal(t, "Desk", seen.Name)
	}
	require.Equal(t, before, s.tokens(key))
	require.True(t, opens(t, s.keyed))
}

// keyPage is a page of workspace/apikeys/get.
type keyPage struct {
	Data          []client.KeyView `json:"data"`
	NextPageToken *string          `json:"nextPageToken"`
}

func (s *scene) keyPage(data map[string]any) keyPage {
	s.t.Helper()
	page, err := client.Call[keyPage](s.ctx, s.owner, listKeys, data)
	require.NoError(s.t, err)
	return page
}

func TestKeysGet_4_AHundredKeysAreOnePage(t *testing.T) {
	s := begin(t)
	operate(t, "limits", "set", s.workspace.ID, "keys-testing", "100")
	for range 99 {
		s.newKey(map[string]any{"createAuthToken": false})
	}
	page := s.keyPage(map[string]any{})
	require.Len(t, page.Data, 100)
	require.Nil(t, page.NextPageToken)
	declined(t, s.owner, createKey, map[string]any{"ownerEmail": "a@example.com", "type": "testing"}, "RESOURCE_EXHAUSTED", "key-quota")
}

func TestAuthTokenReset_1_TheOldOneIsDeadInEveryProcess(t *testing.T) {
	lab := newLab(t)
	first, second := lab.start("api"), lab.start("api")
	s := lab.begin(first)
	token := s.workspace.AuthToken
	for range 20 {
		require.True(t, opens(t, keySession(client.Public(second.URL), s.workspace.APIKey, token)), "any cache is warm")
		fresh := s.reset(s.workspace.APIKey)
		for _, at := range []string{first.URL, second.URL} {
			require.False(t, opens(t, keySession(client.Public(at), s.workspace.APIKey, token)))
			require.True(t, opens(t, keySession(client.Public(at), s.workspace.APIKey, fresh.Token)))
		}
		token = fresh.Token
	}
}

func TestAuthTokenReset_5_RunningWorkGoesOn(t *testing.T) {
	s := begin(t)
	r := s.dispatch(s.signOff(), s.withReceiver("/events"))
	step := r.waitsAt("review")
	source := s.ingest("Invoices are paid within thirty days.")
	fresh := s.reset(s.workspace.APIKey)
	s.keyed = keySession(s.keyed, s.workspace.APIKey, fresh.Token)
	s.workspace.Keyed = s.keyed
	s.call("workflow/steps/recordReviewerDecision", map[string]any{
		"executionId": r.id, "stepId": step.StepID, "reviewerId": "ann", "decision": "approve",
	}, nil)
	r.ends("completed")
	s.arrived("/events", func(got []receiver.Request) bool { return len(got) >= len(r.events()) })
	s.broughtIn(source, "completed")
}
