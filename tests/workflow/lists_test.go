package workflow

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/receiver"
)

func TestList_3_RootStepsAreReadWhileTemporalIsAway(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	env := isolated.NewWorkspace(isolated.StartProcess("serve"))
	definition := kit.Define(env, []redline.NodeInput{client.Human("review", "ann"), client.Mock("check"), client.Mock("end")}, client.Both("review", "end")...)
	isolated.Temporal.Down()
	r := kit.Dispatch(env, definition)
	var page redline.ExecutionList
	env.Call(client.ListExecutions, map[string]any{"definitionId": definition, "status": "pending"}, &page)
	require.Len(t, page.Items, 1)
	item := page.Items[0]
	require.Equal(t, r.ID, item.ExecutionID)
	require.Equal(t, int64(2), item.StepCount)
	require.Len(t, item.Steps, 2)
	for i, node := range []string{"review", "check"} {
		require.Equal(t, []string{node, "pending"}, []string{item.Steps[i].NodeID, string(item.Steps[i].Status)})
		require.Nil(t, item.Steps[i].StartedAt)
	}
	require.NoError(t, isolated.Temporal.Up())
	r.WaitsAt("review")
	require.Equal(t, redline.StepStatusCompleted, r.Step("check").Status)
}

func TestList_4_FiltersCombine(t *testing.T) {
	env := kit.NewWorkspace(t)
	waiting, ending := kit.SignOff(env), kit.Instant(env)
	first := kit.Dispatch(env, waiting, func(d *redline.DispatchRequest) { d.CorrelationID = new("c1") })
	first.Runs()
	second := kit.Dispatch(env, ending, func(d *redline.DispatchRequest) { d.CorrelationID = new("c1") })
	done := second.Ends("completed")
	third := kit.Dispatch(env, ending, func(d *redline.DispatchRequest) { d.CorrelationID = new("c2") })
	third.Ends("completed")

	for name, expect := range map[string]struct {
		query map[string]any
		ids   []string
	}{
		"definition":                {map[string]any{"definitionId": ending}, []string{third.ID, second.ID}},
		"status":                    {map[string]any{"status": "running"}, []string{first.ID}},
		"correlation":               {map[string]any{"correlationId": "c1"}, []string{second.ID, first.ID}},
		"correlation and status":    {map[string]any{"correlationId": "c1", "status": "completed"}, []string{second.ID}},
		"definition and status":     {map[string]any{"definitionId": waiting, "status": "completed"}, nil},
		"from, inclusive":           {map[string]any{"startedAfter": done.StartedAt, "correlationId": "c1"}, []string{second.ID}},
		"to, exclusive":             {map[string]any{"startedBefore": done.StartedAt, "correlationId": "c1"}, []string{first.ID}},
		"an id of the wrong form":   {map[string]any{"definitionId": "NO SUCH THING"}, nil},
		"a correlation nobody used": {map[string]any{"correlationId": "c3"}, nil},
	} {
		var ids []string
		for _, item := range kit.EveryPage[redline.Execution](env, client.ListExecutions, expect.query) {
			ids = append(ids, item.ExecutionID)
		}
		assert.Equal(t, expect.ids, ids, name)
	}
}

func TestList_4_AStatusThatChangesBetweenPagesRepeatsNothing(t *testing.T) {
	env := kit.NewWorkspace(t)
	definition := kit.SignOff(env)
	var runs []*kit.Run
	for range 6 {
		r := kit.Dispatch(env, definition)
		r.WaitsAt("review")
		runs = append([]*kit.Run{r}, runs...) // newest first
	}
	query := map[string]any{"pageSize": 2, "status": "running"}
	var seen []string
	for pages := 0; ; pages++ {
		var page redline.ExecutionList
		env.Call(client.ListExecutions, query, &page)
		for _, item := range page.Items {
			seen = append(seen, item.ExecutionID)
		}
		if !page.HasMore {
			break
		}
		query["cursor"] = page.NextCursor
		if pages == 0 { // one that was seen leaves, and one that was not
			for _, gone := range []*kit.Run{runs[1], runs[2]} {
				gone.Decide("review", "ann", "approve")
				gone.Ends("completed")
			}
		}
	}
	require.Equal(t, []string{runs[0].ID, runs[1].ID, runs[3].ID, runs[4].ID, runs[5].ID}, seen)
}

func TestList_5_CursorsThatAreRefused(t *testing.T) {
	env := kit.NewWorkspace(t)
	other := kit.Elsewhere(env)
	definition := kit.SignOff(env)
	for range 3 {
		kit.Dispatch(env, definition)
	}
	var page redline.ExecutionList
	env.Call(client.ListExecutions, map[string]any{"pageSize": 1}, &page)
	cursor := page.NextCursor

	for i := range cursor {
		changed := []byte(cursor)
		if changed[i] = 'A'; cursor[i] == 'A' {
			changed[i] = 'q'
		}
		failure := env.RefusedAs("INVALID_ARGUMENT", client.ListExecutions, map[string]any{"pageSize": 1, "cursor": string(changed)})
		require.Equal(t, []string{"cursor"}, failure.Issues[0].Path)
	}
	env.RefusedAs("INVALID_ARGUMENT", client.ListExecutions, map[string]any{"cursor": cursor, "status": "pending"})
	env.RefusedAs("INVALID_ARGUMENT", client.ListExecutions, map[string]any{"cursor": cursor, "definitionId": definition})
	env.RefusedAs("INVALID_ARGUMENT", client.ListSteps, map[string]any{"cursor": cursor})
	other.RefusedAs("INVALID_ARGUMENT", client.ListExecutions, map[string]any{"cursor": cursor})

	env.Call(client.ListExecutions, map[string]any{"cursor": cursor, "pageSize": 2}, &page)
	require.Len(t, page.Items, 2, "another page size may be asked for")
}

func TestInbox_1_DecidedStepsLeaveAtOnce(t *testing.T) {
	env := kit.NewWorkspace(t)
	definition := kit.Define(env, []redline.NodeInput{client.Human("review", "ann", "bob"), client.Mock("end"), client.Mock("no")},
		client.Approve("review", "end"), client.Reject("review", "no"))
	first, second := kit.Dispatch(env, definition), kit.Dispatch(env, definition)
	first.WaitsAt("review")
	second.WaitsAt("review")
	require.Equal(t, []string{second.ID, first.ID}, kit.Inbox(env, "ann"))

	first.Decide("review", "ann", "approve")
	require.Equal(t, []string{second.ID}, kit.Inbox(env, "ann"), "decided by her, open for others")
	require.Equal(t, []string{second.ID, first.ID}, kit.Inbox(env, "bob"))
	require.Empty(t, kit.Inbox(env, "carol"))
}

func TestInbox_3_StepsOfEndedExecutionsNeverWait(t *testing.T) {
	env := kit.NewWorkspace(t)
	failing := kit.Define(env, []redline.NodeInput{client.Human("review", "ann"), client.Hook("call", env.Receiver().URL("/refuses"))},
		client.Reject("review", "call"))
	env.Receiver().Answer("/refuses", receiver.Status(400))
	cancelled := kit.Dispatch(env, kit.SignOff(env))
	cancelled.WaitsAt("review")
	require.True(t, cancelled.Cancel())

	two := kit.Define(env, []redline.NodeInput{client.Human("open", "ann"), client.Hook("call", env.Receiver().URL("/refuses")), client.Mock("end")},
		client.Both("open", "end")...)
	failed := kit.Dispatch(env, two)
	failed.Ends("failed")
	marker := kit.Dispatch(env, failing)
	marker.WaitsAt("review")
	require.Equal(t, []string{marker.ID}, kit.Inbox(env, "ann"))
}

func TestInboxFiltersAndFields(t *testing.T) {
	env := kit.NewWorkspace(t)
	definition := kit.SignOff(env)
	r := kit.Dispatch(env, definition, func(d *redline.DispatchRequest) {
		d.OrganizationID, d.DocumentID, d.CorrelationID = new("o"), new("d"), new("corr")
	})
	step := r.WaitsAt("review")
	other := kit.Dispatch(env, definition)
	other.WaitsAt("review")

	for name, query := range map[string]map[string]any{
		"execution":    {"executionId": r.ID},
		"organization": {"organizationId": "o"},
		"document":     {"organizationId": "o", "documentId": "d", "nodeType": "human", "definitionId": definition, "status": "waiting"},
	} {
		found := kit.EveryPage[redline.ListedStep](env, client.ListSteps, query)
		if assert.Len(t, found, 1, name) {
			assert.Equal(t, step.StepID, found[0].StepID, name)
			assert.Equal(t, r.ID, found[0].ExecutionID, name)
			assert.Equal(t, definition, found[0].DefinitionID, name)
			assert.Equal(t, "corr", found[0].CorrelationID, name)
		}
	}
	require.Empty(t, kit.EveryPage[redline.ListedStep](env, client.ListSteps, map[string]any{"nodeType": "agent"}))
	for name, query := range map[string]map[string]any{
		"status": {"status": "open"}, "node type": {"nodeType": "robot"}, "page": {"pageSize": 501}, "surplus": {"groupId": "g"},
	} {
		assert.Equal(t, redline.ProblemStatusInvalidArgument, env.Refused(client.ListSteps, query).Status, name)
	}

	r.Decide("review", "ann", "approve")
	r.Ends("completed")
	require.Len(t, kit.EveryPage[redline.ListedStep](env, client.ListSteps, map[string]any{"executionId": r.ID, "status": "completed"}), 2)
}

func TestInboxPagesAreStableWhileStepsCome(t *testing.T) {
	env := kit.NewWorkspace(t)
	definition := kit.SignOff(env)
	var expected []string
	for range 6 {
		r := kit.Dispatch(env, definition)
		r.WaitsAt("review")
		expected = append([]string{r.ID}, expected...)
	}
	query := map[string]any{"reviewerId": "ann", "pageSize": 2}
	var seen []string
	for n := 0; ; n++ {
		var page redline.ListedStepPage
		env.Call(client.ListSteps, query, &page)
		for _, step := range page.Items {
			seen = append(seen, step.ExecutionID)
		}
		kit.Dispatch(env, definition, func(d *redline.DispatchRequest) { d.CorrelationID = new("later-" + strconv.Itoa(n)) }).WaitsAt("review")
		if !page.HasMore {
			require.Nil(t, page.NextCursor, "the last page has no cursor")
			break
		}
		query["cursor"] = *page.NextCursor
	}
	require.Equal(t, expected, seen)
}
