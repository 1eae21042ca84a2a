package api_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestDispatch_1_HundredCallsWithOneKey(t *testing.T) {
	env := newWorkspace(t)
	definition := kit.SignOff(env)
	var mu sync.Mutex
	executions, correlations, firsts := map[string]int{}, map[string]int{}, 0
	kit.Concurrently(100, func(int) {
		answer, err := env.Workspace.Dispatch(env.Ctx, redline.DispatchRequest{DefinitionID: definition, IdempotencyKey: new("one")})
		if !kit.NoError(t, err) {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		executions[answer.ExecutionID]++
		correlations[answer.CorrelationID]++
		if !answer.Deduplicated {
			firsts++
		}
	})
	require.Len(t, executions, 1, "one execution")
	require.Len(t, correlations, 1, "one correlation id")
	require.Equal(t, 1, firsts, "one answer is not a replay")
	require.Len(t, kit.EveryPage[redline.Execution](env, client.ListExecutions, nil), 1)
}

func TestDispatch_2_ReplayGivesTheFirstIdsWhateverElseIsSent(t *testing.T) {
	env := newWorkspace(t)
	definition := kit.SignOff(env)
	first := kit.Dispatch(env, definition, kit.Key("k"), func(d *redline.DispatchRequest) { d.CorrelationID = new("mine") })
	again := kit.Dispatch(env, definition, kit.Key("k"), kit.Input(map[string]any{"other": true}), func(d *redline.DispatchRequest) {
		d.CorrelationID, d.OrganizationID = new("other"), new("elsewhere")
	})
	require.True(t, again.Deduplicated)
	require.Equal(t, first.ID, again.ID)
	require.Equal(t, "mine", again.CorrelationID)
	require.JSONEq(t, `{}`, kit.ContextOf(first), "the first call's context stays")
}

func TestDispatch_4_OneKeyInTwoDefinitionsAndTwoWorkspaces(t *testing.T) {
	env := newWorkspace(t)
	other := kit.Elsewhere(env)
	id := kit.SignOff(env)
	second := kit.SignOff(env)
	kit.Create(other, redline.DefinitionRequest{DefinitionID: id, Name: "Same id", Nodes: []redline.NodeInput{client.Human("review", "ann"), client.Mock("end")}, Edges: client.Both("review", "end")})

	seen := map[string]bool{}
	for _, started := range []*kit.Run{kit.Dispatch(env, id, kit.Key("k")), kit.Dispatch(env, second, kit.Key("k")), kit.Dispatch(other, id, kit.Key("k"))} {
		require.False(t, started.Deduplicated)
		seen[started.ID] = true
	}
	require.Len(t, seen, 3)
}

func TestDispatch_7_AddressesThatAreRefused(t *testing.T) {
	env := newWorkspace(t)
	definition := kit.SignOff(env)
	for _, url := range []string{
		"http://example.com/hook", "https://2130706433/", "https://127.1/", "https://0x7f000001/", "https://0177.0.0.1/",
		"https://127.0.0.1/", "https://10.1.2.3/", "https://172.16.0.1/", "https://192.168.1.1/", "https://169.254.169.254/",
		"https://[::1]/", "https://[::ffff:10.0.0.1]/", "https://[::ffff:7f00:1]/", "https://[fe80::1]/", "https://[fd00::1]/",
		"https://localhost/", "https://LOCALHOST./", "https://metadata/", "https://metadata.google.internal/",
		"https://db.internal/", "https://DB.Internal./", "https://user:pass@example.com/", "https://example.com:0/", "ftp://example.com/", "nonsense",
		"https:///path", "https://１２７.0.0.1/",
	} {
		failure := env.Refused(client.StartExecution, redline.DispatchRequest{DefinitionID: definition, WebhookURL: client.Given(url), WebhookSecret: new(kit.Secret)})
		assert.Equal(t, redline.ProblemStatusInvalidArgument, failure.Status, url)
		if assert.NotEmpty(t, failure.Issues, url) {
			assert.Equal(t, []string{"webhookUrl"}, failure.Issues[0].Path, url)
			assert.Equal(t, "address-refused", failure.Issues[0].Code, url)
		}
	}
	require.Empty(t, kit.EveryPage[redline.Execution](env, client.ListExecutions, nil), "nothing was accepted")
}

func TestDispatch_8_WithoutAKeyEachCallIsNew(t *testing.T) {
	env := newWorkspace(t)
	definition := kit.SignOff(env)
	first, second := kit.Dispatch(env, definition), kit.Dispatch(env, definition)
	require.NotEqual(t, first.ID, second.ID)
	require.NotEqual(t, first.CorrelationID, second.CorrelationID)
	require.True(t, strings.HasPrefix(first.View().IdempotencyKey, "auto:"), first.View().IdempotencyKey)
}

func TestDispatchTakesNullForAbsent(t *testing.T) {
	env := newWorkspace(t)
	var answer redline.DispatchResult
	env.Call(client.StartExecution, map[string]any{
		"definitionId": kit.SignOff(env), "idempotencyKey": nil, "correlationId": nil, "triggerContext": nil, "organizationId": nil,
		"documentId": nil, "folderId": nil, "webhookUrl": nil, "webhookSecret": nil,
	}, &answer)
	require.False(t, answer.Deduplicated)
	require.Regexp(t, `^corr_`, answer.CorrelationID)
	require.Equal(t, redline.ProblemStatusNotFound, env.Refused(client.StartExecution, redline.DispatchRequest{DefinitionID: "No Id Of Ours"}).Status, "an id of another form is unknown")
	env.RefusedAs("INVALID_ARGUMENT", client.StartExecution, map[string]any{"definitionId": nil})
}
