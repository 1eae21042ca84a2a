package tests

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
	"github.com/redline-svc/redline/tests/receiver"
)

// aboveDouble is the first integer that a double cannot hold.
const aboveDouble = "9007199254740993"

// contextOf is the trigger context, `{}` where the view says null.
func contextOf(r *run) string {
	raw := r.view().TriggerContext
	if len(raw) == 0 || string(raw) == "null" {
		return "{}"
	}
	return string(raw)
}

func TestDispatch_2_ReplayOutlivesItsDefinition(t *testing.T) {
	s := begin(t)
	definition := s.instant()
	first := s.dispatch(definition, key("k"))
	first.ends("completed")

	for _, purge := range []bool{false, true} {
		s.call("workflow/definitions/delete", map[string]any{"definitionId": definition, "purge": purge}, nil)
		again := s.dispatch(definition, key("k"))
		require.True(t, again.deduplicated, "purge %v", purge)
		require.Equal(t, first.id, again.id)
		require.Equal(t, first.correlationID, again.correlationID)
	}
	s.refusedAs("NOT_FOUND", "workflow/executions/dispatch", client.Dispatch{DefinitionID: definition, IdempotencyKey: "new"})
	require.Equal(t, "completed", first.view().Status, "the execution stays readable")
}

func TestDispatch_5_ReplayIsAnsweredAndMalformedIsNot(t *testing.T) {
	s := begin(t)
	definition := s.instant()
	s.dispatch(definition, key("k")).ends("completed")
	s.call("workflow/definitions/delete", map[string]any{"definitionId": definition}, nil)
	require.True(t, s.dispatch(definition, key("k")).deduplicated)
	failure := s.refusedAs("INVALID_ARGUMENT", "workflow/executions/dispatch", map[string]any{
		"definitionId": definition, "idempotencyKey": "k", "triggerContext": "no object", "surplus": 1,
	})
	require.True(t, failure.Code("type"), "%v", failure)
	require.True(t, failure.Code("unknown-key"), "%v", failure)
	s.refusedAs("FAILED_PRECONDITION", "workflow/executions/dispatch", client.Dispatch{DefinitionID: definition, IdempotencyKey: "new"})
}

func TestDispatch_6_LargeIntegersStayExact(t *testing.T) {
	s := begin(t)
	s.receiver()
	definition := s.define(
		[]client.Node{client.Mock("start"), client.Hook("exact", s.receiver().URL("/exact")), client.Mock("rounded")},
		client.When("start", "exact", `{"op":"eq","args":[{"var":"execution.input.n"},`+aboveDouble+`]}`),
		client.When("start", "rounded", `{"op":"eq","args":[{"var":"execution.input.n"},9007199254740992]}`))
	r := s.dispatch(definition, input(json.RawMessage(`{"n":`+aboveDouble+`,"f":1.10,"list":[-0.0,1e400]}`)))
	view := r.ends("completed")
	require.Contains(t, string(view.TriggerContext), aboveDouble)
	require.Contains(t, string(view.TriggerContext), "1e400")
	require.Len(t, steps(view, "exact"), 1)
	require.Empty(t, steps(view, "rounded"), "no edge compares by rounding")
	require.Contains(t, string(s.receiver().Requests("/exact")[0].Body), aboveDouble)
}

func TestDispatchIsAnsweredFromItsCommit(t *testing.T) {
	s := begin(t)
	definition := s.define(
		[]client.Node{client.Human("one", "ann"), client.Human("two", "bob"), client.Mock("end")},
		append(client.Both("one", "end"), client.Both("two", "end")...)...)
	r := s.dispatch(definition, func(d *client.Dispatch) { d.CorrelationID, d.FolderID = "order:7", "folder 1" })
	view := r.view()
	require.Regexp(t, `^exec_\d+_[a-z0-9]{8}$`, view.ExecutionID)
	require.Contains(t, []string{"pending", "running"}, view.Status)
	require.Equal(t, "order:7", view.CorrelationID)
	require.Equal(t, "folder 1", *view.FolderID)
	require.Equal(t, 1, view.DefinitionVersion)
	require.Equal(t, 1, view.Attempt)
	require.Equal(t, 2, view.StepCount)
	require.Nil(t, view.CompletedAt)
	require.Equal(t, "one", view.Steps[0].NodeID, "roots in the order of the definition")
	require.Equal(t, "two", view.Steps[1].NodeID)
	require.Regexp(t, `^step_one_i1_a1_[0-9a-f]{12}$`, view.Steps[0].StepID)

	first := r.events()[0]
	require.Equal(t, "execution.dispatched", first.Type)
	require.EqualValues(t, 1, first.Seq)
	require.JSONEq(t, `{"definitionId":"`+definition+`","definitionVersion":1,"rootStepIds":["`+view.Steps[0].StepID+`","`+view.Steps[1].StepID+`"]}`, string(first.Data))
}

func TestDispatchPinsTheVersionOfItsMoment(t *testing.T) {
	s := begin(t)
	definition := s.signOff()
	old := s.dispatch(definition)
	s.call("workflow/definitions/update", map[string]any{
		"definitionId": definition, "ifVersion": 1, "name": "Without a person",
		"nodes": []client.Node{client.Mock("only")}, "edges": []client.Edge{},
	}, nil)
	fresh := s.dispatch(definition)
	require.Equal(t, 2, fresh.ends("completed").DefinitionVersion)

	old.waitsAt("review")
	require.Equal(t, 1, old.view().DefinitionVersion)
	old.decide("review", "ann", "approve")
	old.ends("completed")
	require.Equal(t, "completed", old.step("publish").Status, "the old graph goes on unchanged")
}

func TestDispatchShape(t *testing.T) {
	s := begin(t)
	definition := s.signOff()
	large := map[string]any{"definitionId": definition, "triggerContext": map[string]any{"text": strings.Repeat("x", 256<<10)}}
	for name, data := range map[string]map[string]any{
		"no definition":              {},
		"empty definition":           {"definitionId": ""},
		"key with a space":           {"definitionId": definition, "idempotencyKey": "a b"},
		"key of 201":                 {"definitionId": definition, "idempotencyKey": strings.Repeat("k", 201)},
		"empty key":                  {"definitionId": definition, "idempotencyKey": ""},
		"correlation with a slash":   {"definitionId": definition, "correlationId": "a/b"},
		"context is a list":          {"definitionId": definition, "triggerContext": []int{1}},
		"context above 256 KiB":      large,
		"address without secret":     {"definitionId": definition, "webhookUrl": "https://receiver.test/x"},
		"secret without address":     {"definitionId": definition, "webhookSecret": secret},
		"secret of 15":               {"definitionId": definition, "webhookUrl": "https://receiver.test/x", "webhookSecret": strings.Repeat("s", 15)},
		"secret of 513":              {"definitionId": definition, "webhookUrl": "https://receiver.test/x", "webhookSecret": strings.Repeat("s", 513)},
		"address above 2000":         {"definitionId": definition, "webhookUrl": "https://receiver.test/" + strings.Repeat("x", 2000), "webhookSecret": secret},
		"organization above 200":     {"definitionId": definition, "organizationId": strings.Repeat("o", 201)},
		"control character":          {"definitionId": definition, "documentId": "a\u0007b", "organizationId": "o"},
		"a key that does not exist":  {"definitionId": definition, "priority": 1},
		"a name in another spelling": {"definitionId": definition, "idempotencykey": "k"},
	} {
		failure := s.refused("workflow/executions/dispatch", data)
		assert.Equal(t, "INVALID_ARGUMENT", failure.Status, name)
		assert.NotEmpty(t, failure.Issues, name)
	}
	require.Empty(t, everyPage[client.Execution](s, "workflow/executions/list", nil))
	s.dispatch(definition, key(strings.Repeat("k", 200)), func(d *client.Dispatch) { d.CorrelationID = strings.Repeat("c", 200) })
	s.refusedAs("NOT_FOUND", "workflow/executions/dispatch", client.Dispatch{DefinitionID: "no-such-definition"})
}

func TestDispatchTakesWhatIsExactlyAtItsLimits(t *testing.T) {
	s := begin(t)
	definition := s.instant()
	const limit, frame = 256 << 10, len(`{"t":""}`)
	largest := `{"t":"` + strings.Repeat("x", limit-frame) + `"}`
	r := s.dispatch(definition, input(json.RawMessage(largest)))
	require.Equal(t, largest, string(r.ends("completed").TriggerContext))
	s.refusedAs("INVALID_ARGUMENT", "workflow/executions/dispatch", client.Dispatch{
		DefinitionID: definition, TriggerContext: json.RawMessage(strings.Replace(largest, "x", "xx", 1)),
	})
	for _, size := range []int{16, 512} {
		address := s.receiver().URL("/" + strconv.Itoa(size) + "-")
		address += strings.Repeat("p", 2000-len(address))
		path := strings.TrimPrefix(address, strings.TrimSuffix(s.receiver().URL("/"), "/"))
		whole := strings.Repeat("ü", size)
		s.dispatch(definition, func(d *client.Dispatch) { d.WebhookURL, d.WebhookSecret = address, whole })
		for _, request := range s.arrived(path, receiver.Count(3)) {
			require.NoError(t, receiver.Verify(request, whole), "a secret of %d characters", size)
		}
	}
}

func TestDispatchOfAScopedDefinition(t *testing.T) {
	s := begin(t)
	organization, document := unique("scoped"), unique("scoped")
	s.create(client.Definition{
		DefinitionID: organization, Name: "Organization", Nodes: []client.Node{client.Mock("only")},
		Scope: map[string]any{"level": "organization", "organizationId": "org 1"},
	})
	s.create(client.Definition{
		DefinitionID: document, Name: "Document", Nodes: []client.Node{client.Mock("only")},
		Scope: map[string]any{"level": "document", "organizationId": "org 1", "documentId": "doc 1"},
	})
	for name, data := range map[string]client.Dispatch{
		"organization missing": {DefinitionID: organization},
		"other organization":   {DefinitionID: organization, OrganizationID: "org 2"},
		"document missing":     {DefinitionID: document, OrganizationID: "org 1"},
		"other document":       {DefinitionID: document, OrganizationID: "org 1", DocumentID: "doc 2"},
	} {
		assert.Equal(t, "INVALID_ARGUMENT", s.refused("workflow/executions/dispatch", data).Status, name)
	}
	r := s.dispatch(document, func(d *client.Dispatch) { d.OrganizationID, d.DocumentID = "org 1", "doc 1" })
	view := r.ends("completed")
	require.Equal(t, "org 1", *view.OrganizationID)
	require.Equal(t, "doc 1", *view.Steps[0].Metadata.DocumentID)
}

func TestDispatchKeepsWebhookAuthToItself(t *testing.T) {
	s := begin(t)
	hook := client.Hook("call", s.receiver().URL("/token")).With("authMode", "token").With("authTokenHeader", "X-Token")
	definition := s.define([]client.Node{hook})
	r := s.dispatch(definition, s.withReceiver("/events"), input(map[string]any{
		"webhookAuth": map[string]any{"call": "the-hidden-token"}, "visible": 1,
	}))
	view := r.ends("completed")
	require.JSONEq(t, `{"visible":1}`, string(view.TriggerContext))
	request := s.receiver().Requests("/token")[0]
	require.Equal(t, "the-hidden-token", request.Header.Get("X-Token"))
	require.NotContains(t, string(request.Body), "the-hidden-token")
	raw, err := json.Marshal(view)
	require.NoError(t, err)
	require.NotContains(t, string(raw), "the-hidden-token")
	require.NotContains(t, string(raw), secret)
}

func TestDispatch_TheLimitOfLiveExecutions(t *testing.T) {
	const most = 8
	s, l := beginAt(t, tight)
	definition := s.signOff()
	scoped := unique("definition")
	s.create(client.Definition{
		DefinitionID: scoped, Name: "Scoped", Nodes: []client.Node{client.Mock("only")},
		Scope: map[string]any{"level": "organization", "organizationId": "acme"},
	})
	live := make([]*run, most)
	for i := range live {
		live[i] = s.dispatch(definition, key(strconv.Itoa(i)))
		live[i].waitsAt("review")
	}
	full := func() *client.Failure {
		answer, err := s.workspace.Dispatch(s.ctx, client.Dispatch{DefinitionID: definition})
		if err == nil { // it was counted up to a second ago
			cancel := (&run{s: s, id: answer.ExecutionID}).cancel()
			require.True(t, cancel)
			return nil
		}
		return client.Refusal(err)
	}
	var refused *client.Failure
	eventually(t, "the limit is reached", func() bool { refused = full(); return refused != nil })
	require.Equal(t, "RESOURCE_EXHAUSTED", refused.Status)
	require.Equal(t, "live-executions", refused.Reason)
	require.Contains(t, refused.Message, strconv.Itoa(most))
	require.Empty(t, refused.Header.Get("retry-after"), "time does not lift it")

	again := s.dispatch(definition, key("0"))
	require.True(t, again.deduplicated, "a known key is answered")
	require.Equal(t, live[0].id, again.id)
	s.refusedAs("NOT_FOUND", "workflow/executions/dispatch", client.Dispatch{DefinitionID: unique("unknown")})
	s.refusedAs("INVALID_ARGUMENT", "workflow/executions/dispatch", client.Dispatch{DefinitionID: scoped})
	s.refusedAs("RESOURCE_EXHAUSTED", "workflow/executions/dispatch", client.Dispatch{DefinitionID: scoped, OrganizationID: "acme"})
	other := l.begin(tight.processes[0])
	other.dispatch(other.instant())

	live[0].decide("review", "ann", "approve")
	live[0].ends("completed")
	eventually(t, "there is room again", func() bool { return full() == nil })
}

// Two calls with one new key come at once, and the one that is accepted is the last
// that may live: the other one, which has looked for the key and not yet counted, gets
// the same execution.
func TestDispatch_OneKeyAtTheLimitOfLiveExecutions(t *testing.T) {
	l := newLab(t)
	const limit = "REDLINE_MAX_LIVE_EXECUTIONS=1"
	s := l.begin(l.start("api", limit, "REDLINE_DATABASE_URL="+l.DatabaseURL)) // past what is held
	slow := s.through(l.start("api", limit).URL)
	definition := s.signOff()
	looked := l.Rows.HoldReply(running("key_space = $3 AND idempotency_key = $4"))
	type answer struct {
		client.Dispatched
		err error
	}
	answered := make(chan answer, 1)
	go func() {
		got, err := slow.workspace.Dispatch(s.ctx, client.Dispatch{DefinitionID: definition, IdempotencyKey: "k"})
		answered <- answer{got, err}
	}()
	reached(t, "the look for the key", looked.Reached())
	first := s.dispatch(definition, key("k"))
	require.False(t, first.deduplicated)
	looked.Release()
	got := <-answered
	require.NoError(t, got.err)
	require.Equal(t, []any{first.id, true}, []any{got.ExecutionID, got.Deduplicated})

	_, err := slow.workspace.Dispatch(s.ctx, client.Dispatch{DefinitionID: definition, IdempotencyKey: "another"})
	require.Equal(t, "live-executions", client.Refusal(err).Reason, "it has counted")
}
