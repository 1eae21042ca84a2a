package workflow

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/receiver"
)

// aboveDouble is the first integer that a double cannot hold.
const aboveDouble = "9007199254740993"

func TestDispatch_2_ReplayOutlivesItsDefinition(t *testing.T) {
	env := kit.NewWorkspace(t)
	definition := kit.Instant(env)
	first := kit.Dispatch(env, definition, kit.Key("k"))
	first.Ends("completed")

	for _, purge := range []bool{false, true} {
		env.Call(client.DeleteDefinition, map[string]any{"definitionId": definition, "purge": purge}, nil)
		again := kit.Dispatch(env, definition, kit.Key("k"))
		require.True(t, again.Deduplicated, "purge %v", purge)
		require.Equal(t, first.ID, again.ID)
		require.Equal(t, first.CorrelationID, again.CorrelationID)
	}
	env.RefusedAs("NOT_FOUND", client.StartExecution, redline.DispatchRequest{DefinitionID: definition, IdempotencyKey: new("new")})
	require.Equal(t, redline.ExecutionStatusCompleted, first.View().Status, "the execution stays readable")
}

func TestDispatch_5_ReplayIsAnsweredAndMalformedIsNot(t *testing.T) {
	env := kit.NewWorkspace(t)
	definition := kit.Instant(env)
	kit.Dispatch(env, definition, kit.Key("k")).Ends("completed")
	env.Call(client.DeleteDefinition, map[string]any{"definitionId": definition}, nil)
	require.True(t, kit.Dispatch(env, definition, kit.Key("k")).Deduplicated)
	failure := env.RefusedAs("INVALID_ARGUMENT", client.StartExecution, map[string]any{
		"definitionId": definition, "idempotencyKey": "k", "triggerContext": "no object", "surplus": 1,
	})
	require.True(t, failure.Has("type"), "%v", failure)
	require.True(t, failure.Has("unknown-key"), "%v", failure)
	env.RefusedAs("FAILED_PRECONDITION", client.StartExecution, redline.DispatchRequest{DefinitionID: definition, IdempotencyKey: new("new")})
}

func TestDispatch_6_LargeIntegersStayExact(t *testing.T) {
	env := kit.NewWorkspace(t)
	env.Receiver()
	definition := kit.Define(env,
		[]redline.NodeInput{client.Mock("start"), client.Hook("exact", env.Receiver().URL("/exact")), client.Mock("rounded")},
		client.When("start", "exact", `{"op":"eq","args":[{"var":"execution.input.n"},`+aboveDouble+`]}`),
		client.When("start", "rounded", `{"op":"eq","args":[{"var":"execution.input.n"},9007199254740992]}`))
	r := kit.Dispatch(env, definition, kit.Input(json.RawMessage(`{"n":`+aboveDouble+`,"f":1.10,"list":[-0.0,1e400]}`)))
	view := r.Ends("completed")
	require.Contains(t, string(view.TriggerContext), aboveDouble)
	require.Contains(t, string(view.TriggerContext), "1e400")
	require.Len(t, kit.Steps(view, "exact"), 1)
	require.Empty(t, kit.Steps(view, "rounded"), "no edge compares by rounding")
	require.Contains(t, string(env.Receiver().Requests("/exact")[0].Body), aboveDouble)
}

func TestDispatchIsAnsweredFromItsCommit(t *testing.T) {
	env := kit.NewWorkspace(t)
	definition := kit.Define(env,
		[]redline.NodeInput{client.Human("one", "ann"), client.Human("two", "bob"), client.Mock("end")},
		append(client.Both("one", "end"), client.Both("two", "end")...)...)
	r := kit.Dispatch(env, definition, func(d *redline.DispatchRequest) { d.CorrelationID, d.FolderID = new("order:7"), new("folder 1") })
	view := r.View()
	require.Regexp(t, `^exec_\d+_[a-z0-9]{8}$`, view.ExecutionID)
	require.Contains(t, []string{"pending", "running"}, string(view.Status))
	require.Equal(t, "order:7", view.CorrelationID)
	require.Equal(t, "folder 1", *view.FolderID)
	require.Equal(t, int64(1), view.DefinitionVersion)
	require.Equal(t, int64(1), view.Attempt)
	require.Equal(t, int64(2), view.StepCount)
	require.Nil(t, view.CompletedAt)
	require.Equal(t, "one", view.Steps[0].NodeID, "roots in the order of the definition")
	require.Equal(t, "two", view.Steps[1].NodeID)
	require.Regexp(t, `^step_one_i1_a1_[0-9a-f]{12}$`, view.Steps[0].StepID)

	first := r.Events()[0]
	require.Equal(t, "execution.dispatched", first.Type)
	require.EqualValues(t, 1, first.Seq)
	require.JSONEq(t, `{"definitionId":"`+definition+`","definitionVersion":1,"rootStepIds":["`+view.Steps[0].StepID+`","`+view.Steps[1].StepID+`"]}`, string(first.Data))
}

func TestDispatchPinsTheVersionOfItsMoment(t *testing.T) {
	env := kit.NewWorkspace(t)
	definition := kit.SignOff(env)
	old := kit.Dispatch(env, definition)
	env.Call(client.UpdateDefinition, map[string]any{
		"definitionId": definition, "ifVersion": 1, "name": "Without a person",
		"nodes": []redline.NodeInput{client.Mock("only")}, "edges": []redline.EdgeInput{},
	}, nil)
	fresh := kit.Dispatch(env, definition)
	require.Equal(t, int64(2), fresh.Ends("completed").DefinitionVersion)

	old.WaitsAt("review")
	require.Equal(t, int64(1), old.View().DefinitionVersion)
	old.Decide("review", "ann", "approve")
	old.Ends("completed")
	require.Equal(t, redline.StepStatusCompleted, old.Step("publish").Status, "the old graph goes on unchanged")
}

func TestDispatchShape(t *testing.T) {
	env := kit.NewWorkspace(t)
	definition := kit.SignOff(env)
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
		"secret without address":     {"definitionId": definition, "webhookSecret": kit.Secret},
		"secret of 15":               {"definitionId": definition, "webhookUrl": "https://receiver.test/x", "webhookSecret": strings.Repeat("s", 15)},
		"secret of 513":              {"definitionId": definition, "webhookUrl": "https://receiver.test/x", "webhookSecret": strings.Repeat("s", 513)},
		"address above 2000":         {"definitionId": definition, "webhookUrl": "https://receiver.test/" + strings.Repeat("x", 2000), "webhookSecret": kit.Secret},
		"organization above 200":     {"definitionId": definition, "organizationId": strings.Repeat("o", 201)},
		"control character":          {"definitionId": definition, "documentId": "a\u0007b", "organizationId": "o"},
		"a key that does not exist":  {"definitionId": definition, "priority": 1},
		"a name in another spelling": {"definitionId": definition, "idempotencykey": "k"},
	} {
		failure := env.Refused(client.StartExecution, data)
		assert.Equal(t, redline.ProblemStatusInvalidArgument, failure.Status, name)
		assert.NotEmpty(t, failure.Issues, name)
	}
	require.Empty(t, kit.EveryPage[redline.Execution](env, client.ListExecutions, nil))
	kit.Dispatch(env, definition, kit.Key(strings.Repeat("k", 200)), func(d *redline.DispatchRequest) { d.CorrelationID = new(strings.Repeat("c", 200)) })
	env.RefusedAs("NOT_FOUND", client.StartExecution, redline.DispatchRequest{DefinitionID: "no-such-definition"})
}

func TestDispatchTakesWhatIsExactlyAtItsLimits(t *testing.T) {
	env := kit.NewWorkspace(t)
	definition := kit.Instant(env)
	const limit, frame = 256 << 10, len(`{"t":""}`)
	largest := `{"t":"` + strings.Repeat("x", limit-frame) + `"}`
	r := kit.Dispatch(env, definition, kit.Input(json.RawMessage(largest)))
	require.Equal(t, largest, string(r.Ends("completed").TriggerContext))
	env.RefusedAs("INVALID_ARGUMENT", client.StartExecution, redline.DispatchRequest{
		DefinitionID: definition, TriggerContext: json.RawMessage(strings.Replace(largest, "x", "xx", 1)),
	})
	for _, size := range []int{16, 512} {
		address := env.Receiver().URL("/" + strconv.Itoa(size) + "-")
		address += strings.Repeat("p", 2000-len(address))
		path := strings.TrimPrefix(address, strings.TrimSuffix(env.Receiver().URL("/"), "/"))
		whole := strings.Repeat("ü", size)
		kit.Dispatch(env, definition, func(d *redline.DispatchRequest) { d.WebhookURL, d.WebhookSecret = new(address), new(whole) })
		for _, request := range env.Arrived(path, receiver.Count(3)) {
			require.NoError(t, receiver.Verify(request, whole), "a secret of %d characters", size)
		}
	}
}

func TestDispatchOfAScopedDefinition(t *testing.T) {
	env := kit.NewWorkspace(t)
	organization, document := kit.Unique("scoped"), kit.Unique("scoped")
	kit.Create(env, redline.DefinitionRequest{
		DefinitionID: organization, Name: "Organization", Nodes: []redline.NodeInput{client.Mock("only")},
		Scope: &redline.ScopeInput{Level: redline.ScopeInputLevelOrganization, OrganizationID: new("org 1")},
	})
	kit.Create(env, redline.DefinitionRequest{
		DefinitionID: document, Name: "Document", Nodes: []redline.NodeInput{client.Mock("only")},
		Scope: &redline.ScopeInput{Level: redline.ScopeInputLevelDocument, OrganizationID: new("org 1"), DocumentID: new("doc 1")},
	})
	for name, data := range map[string]redline.DispatchRequest{
		"organization missing": {DefinitionID: organization},
		"other organization":   {DefinitionID: organization, OrganizationID: new("org 2")},
		"document missing":     {DefinitionID: document, OrganizationID: new("org 1")},
		"other document":       {DefinitionID: document, OrganizationID: new("org 1"), DocumentID: new("doc 2")},
	} {
		assert.Equal(t, redline.ProblemStatusInvalidArgument, env.Refused(client.StartExecution, data).Status, name)
	}
	r := kit.Dispatch(env, document, func(d *redline.DispatchRequest) { d.OrganizationID, d.DocumentID = new("org 1"), new("doc 1") })
	view := r.Ends("completed")
	require.Equal(t, "org 1", *view.OrganizationID)
	require.Equal(t, "doc 1", *view.Steps[0].Metadata.DocumentID)
}

func TestDispatchKeepsWebhookAuthToItself(t *testing.T) {
	env := kit.NewWorkspace(t)
	hook := client.With(client.With(client.Hook("call", env.Receiver().URL("/token")), "authMode", "token"), "authTokenHeader", "X-Token")
	definition := kit.Define(env, []redline.NodeInput{hook})
	r := kit.Dispatch(env, definition, kit.WithReceiver(env, "/events"), kit.Input(map[string]any{
		"webhookAuth": map[string]any{"call": "the-hidden-token"}, "visible": 1,
	}))
	view := r.Ends("completed")
	require.JSONEq(t, `{"visible":1}`, string(view.TriggerContext))
	request := env.Receiver().Requests("/token")[0]
	require.Equal(t, "the-hidden-token", request.Header.Get("X-Token"))
	require.NotContains(t, string(request.Body), "the-hidden-token")
	raw, err := json.Marshal(view)
	require.NoError(t, err)
	require.NotContains(t, string(raw), "the-hidden-token")
	require.NotContains(t, string(raw), kit.Secret)
}

func TestDispatch_TheLimitOfLiveExecutions(t *testing.T) {
	const most = 8
	env, isolated := kit.NewVariantWorkspace(t, kit.Tight)
	definition := kit.SignOff(env)
	scoped := kit.Unique("definition")
	kit.Create(env, redline.DefinitionRequest{
		DefinitionID: scoped, Name: "Scoped", Nodes: []redline.NodeInput{client.Mock("only")},
		Scope: &redline.ScopeInput{Level: redline.ScopeInputLevelOrganization, OrganizationID: new("acme")},
	})
	live := make([]*kit.Run, most)
	for i := range live {
		live[i] = kit.Dispatch(env, definition, kit.Key(strconv.Itoa(i)))
		live[i].WaitsAt("review")
	}
	full := func() *redline.Error {
		answer, err := env.Workspace.Dispatch(env.Ctx, redline.DispatchRequest{DefinitionID: definition})
		if err == nil { // it was counted up to a second ago
			cancel := (&kit.Run{S: env, ID: answer.ExecutionID}).Cancel()
			require.True(t, cancel)
			return nil
		}
		return redline.AsError(err)
	}
	var refused *redline.Error
	kit.RequireEventually(t, "the limit is reached", func() bool { refused = full(); return refused != nil })
	require.Equal(t, redline.ProblemStatusResourceExhausted, refused.Status)
	require.Equal(t, redline.ErrorDetailsReasonLiveExecutions, refused.Reason)
	require.Contains(t, refused.Message, strconv.Itoa(most))
	require.Zero(t, refused.RetryAfter, "time does not lift it")

	again := kit.Dispatch(env, definition, kit.Key("0"))
	require.True(t, again.Deduplicated, "a known key is answered")
	require.Equal(t, live[0].ID, again.ID)
	env.RefusedAs("NOT_FOUND", client.StartExecution, redline.DispatchRequest{DefinitionID: kit.Unique("unknown")})
	env.RefusedAs("INVALID_ARGUMENT", client.StartExecution, redline.DispatchRequest{DefinitionID: scoped})
	env.RefusedAs("RESOURCE_EXHAUSTED", client.StartExecution, redline.DispatchRequest{DefinitionID: scoped, OrganizationID: new("acme")})
	other := isolated.NewWorkspace(kit.Tight.Processes[0])
	kit.Dispatch(other, kit.Instant(other))

	live[0].Decide("review", "ann", "approve")
	live[0].Ends("completed")
	kit.RequireEventually(t, "there is room again", func() bool { return full() == nil })
}

// Two calls with one new key come at once, and the one that is accepted is the last
// that may live: the other one, which has looked for the key and not yet counted, gets
// the same execution.
func TestDispatch_OneKeyAtTheLimitOfLiveExecutions(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	const limit = "REDLINE_MAX_LIVE_EXECUTIONS=1"
	env := isolated.NewWorkspace(isolated.StartProcess("api", limit, "REDLINE_DATABASE_URL="+isolated.DatabaseURL)) // past what is held
	slow := env.Through(isolated.StartProcess("api", limit).URL)
	definition := kit.SignOff(env)
	looked := isolated.Rows.HoldReply(kit.Running("key_space = $3 AND idempotency_key = $4"))
	type answer struct {
		redline.DispatchResult
		err error
	}
	answered := make(chan answer, 1)
	go func() {
		got, err := slow.Workspace.Dispatch(env.Ctx, redline.DispatchRequest{DefinitionID: definition, IdempotencyKey: new("k")})
		answered <- answer{got, err}
	}()
	kit.RequireReached(t, "the look for the key", looked.Reached())
	first := kit.Dispatch(env, definition, kit.Key("k"))
	require.False(t, first.Deduplicated)
	looked.Release()
	got := <-answered
	require.NoError(t, got.err)
	require.Equal(t, []any{first.ID, true}, []any{got.ExecutionID, got.Deduplicated})

	_, err := slow.Workspace.Dispatch(env.Ctx, redline.DispatchRequest{DefinitionID: definition, IdempotencyKey: new("another")})
	require.Equal(t, redline.ErrorDetailsReasonLiveExecutions, redline.AsError(err).Reason, "it has counted")
}
