package tests

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
	"github.com/redline-svc/redline/tests/receiver"
)

const listExecutions = "workflow/executions/list"

// A thousand executions cannot be accepted in one millisecond, so theirs are made
// equal in their rows. No worker runs: nothing else is to be seen here.
func TestList_1_AThousandOfOneMillisecondEachOnce(t *testing.T) {
	const many, callers = 1000, 20
	s, _ := beginAt(t, undriven)
	definition := s.instant()
	together(callers, func(int) {
		for range many / callers {
			_, err := s.workspace.Dispatch(s.ctx, client.Dispatch{DefinitionID: definition})
			fine(t, err)
		}
	})
	requireNewestFirst(t, everyPage[client.Execution](s, listExecutions, map[string]any{"pageSize": 37}), many)
	_, err := s.rows().Exec(t.Context(), `UPDATE executions SET started_at = date_trunc('milliseconds', now()) WHERE workspace_id = $1`, s.workspace.ID)
	require.NoError(t, err)
	for _, size := range []int{37, 500} {
		all := everyPage[client.Execution](s, listExecutions, map[string]any{"pageSize": size})
		requireNewestFirst(t, all, many)
		require.Equal(t, all[0].StartedAt, all[many-1].StartedAt, "all of one millisecond")
	}
}

// requireNewestFirst proves the number and the order, ties by id, and with it
// that none came twice.
func requireNewestFirst(t *testing.T, all []client.Execution, many int) {
	t.Helper()
	require.Len(t, all, many)
	seen := map[string]bool{all[0].ExecutionID: true}
	for i := 1; i < len(all); i++ {
		before, after := all[i-1], all[i]
		require.GreaterOrEqual(t, before.StartedAt, after.StartedAt, "item %d", i)
		if before.StartedAt == after.StartedAt {
			require.Greater(t, before.ExecutionID, after.ExecutionID, "item %d: ties by id", i)
		}
		require.False(t, seen[after.ExecutionID], "%s came twice", after.ExecutionID)
		seen[after.ExecutionID] = true
	}
}

func TestList_3_RootStepsAreReadWhileTheEngineIsAway(t *testing.T) {
	l := newLab(t)
	s := l.begin(l.start("serve"))
	definition := s.define([]client.Node{client.Human("review", "ann"), client.Mock("check"), client.Mock("end")}, client.Both("review", "end")...)
	l.Engine.Down()
	r := s.dispatch(definition)
	var page client.Page[client.Execution]
	s.call(listExecutions, map[string]any{"definitionId": definition, "status": "pending"}, &page)
	require.Len(t, page.Items, 1)
	item := page.Items[0]
	require.Equal(t, r.id, item.ExecutionID)
	require.Equal(t, 2, item.StepCount)
	require.Len(t, item.Steps, 2)
	for i, node := range []string{"review", "check"} {
		require.Equal(t, []string{node, "pending"}, []string{item.Steps[i].NodeID, item.Steps[i].Status})
		require.Nil(t, item.Steps[i].StartedAt)
	}
	require.NoError(t, l.Engine.Up())
	r.waitsAt("review")
	require.Equal(t, "completed", r.step("check").Status)
}

func TestList_4_FiltersCombine(t *testing.T) {
	s := begin(t)
	waiting, ending := s.signOff(), s.instant()
	first := s.dispatch(waiting, func(d *client.Dispatch) { d.CorrelationID = "c1" })
	first.runs()
	second := s.dispatch(ending, func(d *client.Dispatch) { d.CorrelationID = "c1" })
	done := second.ends("completed")
	third := s.dispatch(ending, func(d *client.Dispatch) { d.CorrelationID = "c2" })
	third.ends("completed")

	for name, expect := range map[string]struct {
		query map[string]any
		ids   []string
	}{
		"definition":                {map[string]any{"definitionId": ending}, []string{third.id, second.id}},
		"status":                    {map[string]any{"status": "running"}, []string{first.id}},
		"correlation":               {map[string]any{"correlationId": "c1"}, []string{second.id, first.id}},
		"correlation and status":    {map[string]any{"correlationId": "c1", "status": "completed"}, []string{second.id}},
		"definition and status":     {map[string]any{"definitionId": waiting, "status": "completed"}, nil},
		"from, inclusive":           {map[string]any{"startedAfter": done.StartedAt, "correlationId": "c1"}, []string{second.id}},
		"to, exclusive":             {map[string]any{"startedBefore": done.StartedAt, "correlationId": "c1"}, []string{first.id}},
		"an id of the wrong form":   {map[string]any{"definitionId": "NO SUCH THING"}, nil},
		"a correlation nobody used": {map[string]any{"correlationId": "c3"}, nil},
	} {
		var ids []string
		for _, item := range everyPage[client.Execution](s, listExecutions, expect.query) {
			ids = append(ids, item.ExecutionID)
		}
		assert.Equal(t, expect.ids, ids, name)
	}
}

func TestList_4_AStatusThatChangesBetweenPagesRepeatsNothing(t *testing.T) {
	s := begin(t)
	definition := s.signOff()
	var runs []*run
	for range 6 {
		r := s.dispatch(definition)
		r.waitsAt("review")
		runs = append([]*run{r}, runs...) // newest first
	}
	query := map[string]any{"pageSize": 2, "status": "running"}
	var seen []string
	for pages := 0; ; pages++ {
		var page client.Page[client.Execution]
		s.call(listExecutions, query, &page)
		for _, item := range page.Items {
			seen = append(seen, item.ExecutionID)
		}
		if !page.HasMore {
			break
		}
		query["cursor"] = *page.NextCursor
		if pages == 0 { // one that was seen leaves, and one that was not
			for _, gone := range []*run{runs[1], runs[2]} {
				gone.decide("review", "ann", "approve")
				gone.ends("completed")
			}
		}
	}
	require.Equal(t, []string{runs[0].id, runs[1].id, runs[3].id, runs[4].id, runs[5].id}, seen)
}

func TestList_5_CursorsThatAreRefused(t *testing.T) {
	s := begin(t)
	other := s.elsewhere()
	definition := s.signOff()
	for range 3 {
		s.dispatch(definition)
	}
	var page client.Page[client.Execution]
	s.call(listExecutions, map[string]any{"pageSize": 1}, &page)
	cursor := *page.NextCursor

	for i := range cursor {
		changed := []byte(cursor)
		if changed[i] = 'A'; cursor[i] == 'A' {
			changed[i] = 'q'
		}
		failure := s.refusedAs("INVALID_ARGUMENT", listExecutions, map[string]any{"pageSize": 1, "cursor": string(changed)})
		require.Equal(t, []string{"cursor"}, failure.Issues[0].Path)
	}
	s.refusedAs("INVALID_ARGUMENT", listExecutions, map[string]any{"cursor": cursor, "status": "pending"})
	s.refusedAs("INVALID_ARGUMENT", listExecutions, map[string]any{"cursor": cursor, "definitionId": definition})
	s.refusedAs("INVALID_ARGUMENT", "workflow/steps/list", map[string]any{"cursor": cursor})
	other.refusedAs("INVALID_ARGUMENT", listExecutions, map[string]any{"cursor": cursor})

	s.call(listExecutions, map[string]any{"cursor": cursor, "pageSize": 2}, &page)
	require.Len(t, page.Items, 2, "another page size may be asked for")
}

func TestInbox_1_DecidedStepsLeaveAtOnce(t *testing.T) {
	s := begin(t)
	definition := s.define([]client.Node{client.Human("review", "ann", "bob"), client.Mock("end"), client.Mock("no")},
		client.Approve("review", "end"), client.Reject("review", "no"))
	first, second := s.dispatch(definition), s.dispatch(definition)
	first.waitsAt("review")
	second.waitsAt("review")
	require.Equal(t, []string{second.id, first.id}, inbox(s, "ann"))

	first.decide("review", "ann", "approve")
	require.Equal(t, []string{second.id}, inbox(s, "ann"), "decided by her, open for others")
	require.Equal(t, []string{second.id, first.id}, inbox(s, "bob"))
	require.Empty(t, inbox(s, "carol"))
}

// inbox are the executions that wait for a reviewer, newest first.
func inbox(s *scene, reviewer string) []string {
	s.t.Helper()
	var ids []string
	for _, step := range everyPage[client.Step](s, "workflow/steps/list", map[string]any{"reviewerId": reviewer, "pageSize": 1}) {
		require.Equal(s.t, "waiting", step.Status)
		ids = append(ids, step.ExecutionID)
	}
	return ids
}

func TestInbox_3_StepsOfEndedExecutionsNeverWait(t *testing.T) {
	s := begin(t)
	failing := s.define([]client.Node{client.Human("review", "ann"), client.Hook("call", s.receiver().URL("/refuses"))},
		client.Reject("review", "call"))
	s.receiver().Answer("/refuses", receiver.Status(400))
	cancelled := s.dispatch(s.signOff())
	cancelled.waitsAt("review")
	require.True(t, cancelled.cancel())

	two := s.define([]client.Node{client.Human("open", "ann"), client.Hook("call", s.receiver().URL("/refuses")), client.Mock("end")},
		client.Both("open", "end")...)
	failed := s.dispatch(two)
	failed.ends("failed")
	marker := s.dispatch(failing)
	marker.waitsAt("review")
	require.Equal(t, []string{marker.id}, inbox(s, "ann"))
}

func TestInboxFiltersAndFields(t *testing.T) {
	s := begin(t)
	definition := s.signOff()
	r := s.dispatch(definition, func(d *client.Dispatch) { d.OrganizationID, d.DocumentID, d.CorrelationID = "o", "d", "corr" })
	step := r.waitsAt("review")
	other := s.dispatch(definition)
	other.waitsAt("review")

	for name, query := range map[string]map[string]any{
		"execution":    {"executionId": r.id},
		"organization": {"organizationId": "o"},
		"document":     {"organizationId": "o", "documentId": "d", "nodeType": "human", "definitionId": definition, "status": "waiting"},
	} {
		found := everyPage[client.Step](s, "workflow/steps/list", query)
		if assert.Len(t, found, 1, name) {
			assert.Equal(t, step.StepID, found[0].StepID, name)
			assert.Equal(t, r.id, found[0].ExecutionID, name)
			assert.Equal(t, definition, found[0].DefinitionID, name)
			assert.Equal(t, "corr", found[0].CorrelationID, name)
		}
	}
	require.Empty(t, everyPage[client.Step](s, "workflow/steps/list", map[string]any{"nodeType": "agent"}))
	for name, query := range map[string]map[string]any{
		"status": {"status": "open"}, "node type": {"nodeType": "robot"}, "page": {"pageSize": 501}, "surplus": {"groupId": "g"},
	} {
		assert.Equal(t, "INVALID_ARGUMENT", s.refused("workflow/steps/list", query).Status, name)
	}

	r.decide("review", "ann", "approve")
	r.ends("completed")
	require.Len(t, everyPage[client.Step](s, "workflow/steps/list", map[string]any{"executionId": r.id, "status": "completed"}), 2)
}

func TestInboxPagesAreStableWhileStepsCome(t *testing.T) {
	s := begin(t)
	definition := s.signOff()
	var expected []string
	for range 6 {
		r := s.dispatch(definition)
		r.waitsAt("review")
		expected = append([]string{r.id}, expected...)
	}
	query := map[string]any{"reviewerId": "ann", "pageSize": 2}
	var seen []string
	for n := 0; ; n++ {
		var page client.Page[client.Step]
		s.call("workflow/steps/list", query, &page)
		for _, step := range page.Items {
			seen = append(seen, step.ExecutionID)
		}
		s.dispatch(definition, func(d *client.Dispatch) { d.CorrelationID = "later-" + strconv.Itoa(n) }).waitsAt("review")
		if !page.HasMore {
			require.Nil(t, page.NextCursor, "the last page has no cursor")
			break
		}
		query["cursor"] = *page.NextCursor
	}
	require.Equal(t, expected, seen)
}
