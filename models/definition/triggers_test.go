package definition_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/definition"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/id"
	definitions "github.com/redline-svc/redline/models/definition"
	"github.com/redline-svc/redline/models/modelstest"
	"github.com/redline-svc/redline/models/queue"
)

// clock is a trigger that fires by the clock.
func clock(triggerID, line string, enabled bool) string {
	return fmt.Sprintf(`{"triggerId":%q,"schedule":{"cron":%q,"timezone":"UTC","enabled":%v,"payloadTemplate":{"n": 1}}}`, triggerID, line, enabled)
}

func triggers(list ...string) string { return `,"triggers":[` + strings.Join(list, ",") + `]` }

// claimedSchedule is a schedule with its row of the queue.
type claimedSchedule struct {
	definitions.ScheduleRef
	queue.Claimed
}

// due claims all schedules that are due, as "trigger cron", with a sign for one that
// is switched off or removed.
func (s *shelf) due() (lines []string, claimed []claimedSchedule) {
	s.t.Helper()
	batch, err := s.work.Claim(s.t.Context(), queue.Schedules, "", 100)
	require.NoError(s.t, err)
	for _, row := range batch.Rows {
		found, err := s.Schedule(s.t.Context(), row.Key)
		require.NoError(s.t, err)
		c := claimedSchedule{*found, row}
		claimed = append(claimed, c)
		line := c.TriggerID + " " + c.Cron
		if c.Removed {
			line = "removed " + c.TriggerID
		} else if !c.Enabled {
			line = "off " + line
		}
		lines = append(lines, line)
	}
	return lines, claimed
}

// written notes that Temporal has them.
func (s *shelf) written(claimed []claimedSchedule) {
	s.t.Helper()
	for _, c := range claimed {
		require.NoError(s.t, s.ScheduleWritten(s.t.Context(), c.ScheduleRef))
		require.NoError(s.t, s.work.Done(s.t.Context(), queue.Schedules, c.Claimed))
	}
}

func TestSchedulesAreQueuedWhereTheyChange(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	s.create("one", triggers(clock("a", "1 * * * *", true), clock("b", "2 * * * *", false), clock("c", "3 * * * *", true)))
	lines, claimed := s.due()
	require.ElementsMatch(t, []string{"a 1 * * * *", "off b 2 * * * *", "c 3 * * * *"}, lines)
	again, _ := s.due()
	require.Empty(t, again, "they belong to who claimed them")
	require.NoError(t, s.work.Release(t.Context(), queue.Schedules, claimed[0].Claimed))
	again, _ = s.due()
	require.Len(t, again, 1)
	s.written(claimed)

	_, err := s.update("one", "second", triggers(clock("a", "1 * * * *", true), clock("b", "2 * * * *", true)), 1)
	require.NoError(t, err)
	lines, claimed = s.due()
	require.ElementsMatch(t, []string{"b 2 * * * *", "removed c"}, lines, "what stays is not written")
	s.written(claimed)

	n, err := s.QueueSchedules(t.Context())
	require.NoError(t, err)
	require.Equal(t, 2, n)
	lines, claimed = s.due()
	require.ElementsMatch(t, []string{"a 1 * * * *", "b 2 * * * *"}, lines, "what was removed is gone")
	s.written(claimed)
	require.NoError(t, s.Delete(t.Context(), modelstest.Workspace, definitions.Deletion{DefinitionID: "one"}))
	lines, claimed = s.due()
	require.ElementsMatch(t, []string{"removed a", "removed b"}, lines)
	s.create("one", triggers(clock("a", "5 * * * *", true)))
	s.written(claimed)
	lines, _ = s.due()
	require.Equal(t, []string{"a 5 * * * *"}, lines)
}

// Whoever has written an older state finds out, and so does whoever wrote the newer one
// meanwhile: which of both Temporal has, nobody knows.
func TestAScheduleThatChangedWhileItWasWrittenIsQueuedAgain(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	s.create("one", triggers(clock("a", "1 * * * *", true)))
	_, first := s.due()
	_, err := s.update("one", "second", triggers(clock("a", "2 * * * *", true)), 1)
	require.NoError(t, err)
	none, _ := s.due()
	require.Empty(t, none, "it is being written")
	_, err = s.db.Pool.Exec(t.Context(), `UPDATE work SET locked_until = clock_timestamp()`)
	require.NoError(t, err)
	_, second := s.due()
	require.Len(t, second, 1, "whoever wrote it may have died")
	s.written(first)
	s.written(second)
	lines, third := s.due()
	require.Equal(t, []string{"a 2 * * * *"}, lines)
	s.written(third)
	lines, _ = s.due()
	require.Empty(t, lines)
}

func TestTheLastScheduleOfAWorkspace(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	full := func(n int) string {
		list := make([]string, n)
		for i := range list {
			list[i] = clock(fmt.Sprintf("t%d", i), "0 0 31 2 *", true)
		}
		return triggers(list...)
	}
	const each = 50
	for i := range definitions.MaxSchedules/each - 1 {
		s.create(fmt.Sprintf("full-%d", i), full(each))
	}
	s.create("last", full(each-1))
	errs := modelstest.AtOnce(5, func(i int) error {
		_, err := s.Create(t.Context(), modelstest.Workspace, written(t, fmt.Sprintf("racing-%d", i), "n", full(1), false))
		return err
	})
	refused := 0
	for _, err := range errs {
		if err != nil {
			require.True(t, fault.Is(err, fault.StatusResourceExhausted), "%v", err)
			refused++
		}
	}
	require.Equal(t, 4, refused)
	_, err := s.update("last", "n", full(each), 1)
	require.True(t, fault.Is(err, fault.StatusResourceExhausted), "%v", err)
	_, err = s.update("last", "n", triggers(clock("t0", "0 0 31 2 *", false)), 1)
	require.NoError(t, err, "fewer are fine, and the refused update has changed nothing")
	s.create("room", full(each-1))
}

func TestWhatAScheduleFires(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	s.create("one", ofSpring+triggers(clock("a", "1 * * * *", true), clock("off", "1 * * * *", false), `{"triggerId":"label"}`))
	modelstest.Rename(t, s.db, modelstest.Workspace, "spring", "summer")
	f, err := s.Fires(t.Context(), modelstest.Workspace, "one", "a")
	require.NoError(t, err)
	require.Equal(t, `{"n": 1}`, string(f.Payload))
	require.Equal(t, []string{"acme", "summer"}, []string{f.OrganizationID, f.DocumentID})
	for _, gone := range []string{"off", "label", "unknown"} {
		f, err = s.Fires(t.Context(), modelstest.Workspace, "one", gone)
		require.NoError(t, err)
		require.Nil(t, f, gone)
	}
	_, err = s.db.Pool.Exec(t.Context(), `UPDATE workspaces SET suspended_at = now(), stopped_at = now()`)
	require.NoError(t, err)
	f, err = s.Fires(t.Context(), modelstest.Workspace, "one", "a")
	require.NoError(t, err)
	require.Nil(t, f, "its workspace is stopped")
	_, err = s.db.Pool.Exec(t.Context(), `UPDATE workspaces SET stopped_at = NULL`)
	require.NoError(t, err)
	require.NoError(t, s.Delete(t.Context(), modelstest.Workspace, definitions.Deletion{DefinitionID: "one"}))
	f, err = s.Fires(t.Context(), modelstest.Workspace, "one", "a")
	require.NoError(t, err)
	require.Nil(t, f)
}

// hook is a trigger that requests from outside fire; without a secret it keeps its own.
func hook(triggerID, secret string) string {
	if secret != "" {
		secret = fmt.Sprintf(`,"secret":%q`, secret)
	}
	return fmt.Sprintf(`{"triggerId":%q,"inboundWebhook":{"authMode":"hmac"%s}}`, triggerID, secret)
}

func TestSecretsOfTriggersStayOverUpdates(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	key := id.New(id.APIKey)
	s.exec(`INSERT INTO api_keys (id, workspace_id, name, type, owner_email) VALUES ($1, $2, 'n', 'testing', 'o@example.com')`, key, modelstest.Workspace)
	secretOf := func(triggerID string) string {
		found, err := s.Inbound(t.Context(), key, "one", triggerID)
		if fault.Is(err, fault.StatusUnauthenticated) {
			return ""
		}
		require.NoError(t, err)
		return found.Secret
	}
	s.create("one", triggers(hook("a", "the-first-secret-of-a"), hook("b", "the-first-secret-of-b")))
	kept, err := s.TriggersWithSecret(t.Context(), modelstest.Workspace, "one")
	require.NoError(t, err)
	require.ElementsMatch(t, []string{"a", "b"}, kept)
	rewrite := func(ifVersion int, list ...string) error {
		text := fmt.Sprintf(`{"definitionId":"one","ifVersion":%d,"name":"n","nodes":[{"nodeId":"n","type":"agent","config":{"agentId":"__mock__"}}],"edges":[]%s}`,
			ifVersion, triggers(list...))
		d, issues := definition.Parse([]byte(text), definition.Options{Update: true, TriggersWithSecret: []string{"a", "b", "c"}})
		require.Empty(t, issues)
		_, err := s.Update(t.Context(), modelstest.Workspace, d)
		return err
	}
	require.NoError(t, rewrite(1, hook("a", ""), hook("b", "the-second-secret-of-b")))
	require.Equal(t, "the-first-secret-of-a", secretOf("a"))
	require.Equal(t, "the-second-secret-of-b", secretOf("b"))
	require.True(t, fault.Is(rewrite(2, hook("a", "the-second-secret-of-a"), hook("c", "")), fault.StatusFailedPrecondition))
	require.Equal(t, "the-first-secret-of-a", secretOf("a"), "a refused update has changed nothing")
	require.NoError(t, rewrite(2, hook("a", "")))
	require.Empty(t, secretOf("b"))
	for _, change := range []string{`UPDATE api_keys SET disabled_at = now()`, `UPDATE api_keys SET disabled_at = NULL`} {
		s.exec(change)
		require.Equal(t, strings.HasSuffix(change, "now()"), secretOf("a") == "", change)
	}
	require.NoError(t, s.Delete(t.Context(), modelstest.Workspace, definitions.Deletion{DefinitionID: "one"}))
	require.Empty(t, secretOf("a"))
	kept, err = s.TriggersWithSecret(t.Context(), modelstest.Workspace, "one")
	require.NoError(t, err)
	require.Empty(t, kept)
}
