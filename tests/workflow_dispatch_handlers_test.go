package tests

import (
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
)

func TestDispatch_1_HundredCallsWithOneKey(t *testing.T) {
	s := begin(t)
	definition := s.signOff()
	var mu sync.Mutex
	executions, correlations, firsts := map[string]int{}, map[string]int{}, 0
	together(100, func(int) {
		answer, err := s.workspace.Dispatch(s.ctx, client.Dispatch{DefinitionID: definition, IdempotencyKey: "one"})
		if !fine(t, err) {
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
	require.Len(t, everyPage[client.Execution](s, "workflow/executions/list", nil), 1)
}

func TestDispatch_2_ReplayGivesTheFirstIdsWhateverElseIsSent(t *testing.T) {
	s := begin(t)
	definition := s.signOff()
	first := s.dispatch(definition, key("k"), func(d *client.Dispatch) { d.CorrelationID = "mine" })
	again := s.dispatch(definition, key("k"), input(map[string]any{"other": true}), func(d *client.Dispatch) {
		d.CorrelationID, d.OrganizationID = "other", "elsewhere"
	})
	require.True(t, again.deduplicated)
	require.Equal(t, first.id, again.id)
	require.Equal(t, "mine", again.correlationID)
	require.JSONEq(t, `{}`, contextOf(first), "the first call's context stays")
}

func TestDispatch_4_OneKeyInTwoDefinitionsAndTwoWorkspaces(t *testing.T) {
	s := begin(t)
	other := s.elsewhere()
	id := s.signOff()
	second := s.signOff()
	other.create(client.Definition{DefinitionID: id, Name: "Same id", Nodes: []client.Node{client.Human("review", "ann"), client.Mock("end")}, Edges: client.Both("review", "end")})

	seen := map[string]bool{}
	for _, started := range []*run{s.dispatch(id, key("k")), s.dispatch(second, key("k")), other.dispatch(id, key("k"))} {
		require.False(t, started.deduplicated)
		seen[started.id] = true
	}
	require.Len(t, seen, 3)
}

func TestDispatch_7_AddressesThatAreRefused(t *testing.T) {
	s := begin(t)
	definition := s.signOff()
	for _, url := range []string{
		"http://example.com/hook", "https://2130706433/", "https://127.1/", "https://0x7f000001/", "https://0177.0.0.1/",
		"https://127.0.0.1/", "https://10.1.2.3/", "https://172.16.0.1/", "https://192.168.1.1/", "https://169.254.169.254/",
		"https://[::1]/", "https://[::ffff:10.0.0.1]/", "https://[::ffff:7f00:1]/", "https://[fe80::1]/", "https://[fd00::1]/",
		"https://localhost/", "https://LOCALHOST./", "https://metadata/", "https://metadata.google.internal/",
		"https://db.internal/", "https://DB.Internal./", "https://user:pass@example.com/", "https://example.com:0/", "ftp://example.com/", "nonsense",
		"https:///path", "https://１２７.0.0.1/",
	} {
		failure := s.refused("workflow/executions/dispatch", client.Dispatch{DefinitionID: definition, WebhookURL: url, WebhookSecret: secret})
		assert.Equal(t, "INVALID_ARGUMENT", failure.Status, url)
		if assert.NotEmpty(t, failure.Issues, url) {
			assert.Equal(t, []string{"webhookUrl"}, failure.Issues[0].Path, url)
			assert.Equal(t, "address-refused", failure.Issues[0].Code, url)
		}
	}
	require.Empty(t, everyPage[client.Execution](s, "workflow/executions/list", nil), "nothing was accepted")
}

func TestDispatch_8_WithoutAKeyEachCallIsNew(t *testing.T) {
	s := begin(t)
	definition := s.signOff()
	first, second := s.dispatch(definition), s.dispatch(definition)
	require.NotEqual(t, first.id, second.id)
	require.NotEqual(t, first.correlationID, second.correlationID)
	require.True(t, strings.HasPrefix(first.view().IdempotencyKey, "auto:"), first.view().IdempotencyKey)
}

func TestDispatchTakesNullForAbsent(t *testing.T) {
	s := begin(t)
	var answer client.Dispatched
	s.call("workflow/executions/dispatch", map[string]any{
		"definitionId": s.signOff(), "idempotencyKey": nil, "correlationId": nil, "triggerContext": nil, "organizationId": nil,
		"documentId": nil, "folderId": nil, "webhookUrl": nil, "webhookSecret": nil,
	}, &answer)
	require.False(t, answer.Deduplicated)
	require.Regexp(t, `^corr_`, answer.CorrelationID)
	require.Equal(t, "NOT_FOUND", s.refused("workflow/executions/dispatch", client.Dispatch{DefinitionID: "No Id Of Ours"}).Status, "an id of another form is unknown")
	s.refusedAs("INVALID_ARGUMENT", "workflow/executions/dispatch", map[string]any{"definitionId": nil})
}
