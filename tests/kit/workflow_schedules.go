package kit

import (
	"maps"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// ClockTrigger returns a trigger that fires by the clock, with more settings.
func ClockTrigger(cron string, more map[string]any) map[string]any {
	settings := map[string]any{"cron": cron, "timezone": "Europe/Berlin", "enabled": true}
	maps.Copy(settings, more)
	return map[string]any{"triggerId": "clock", "schedule": settings}
}

// ScheduleRow is a schedule as it is kept for Temporal.
type ScheduleRow struct {
	Trigger, Cron, Timezone string
	Enabled, Removed        bool
	Revision                int64
	// Queued is that Temporal does not have it yet as it is here.
	Queued bool
}

// ScheduleRows are those of a definition.
func ScheduleRows(env *Env, definitionID string) []ScheduleRow {
	env.T.Helper()
	rows, err := env.DB().Query(env.Ctx, `SELECT trigger_id, cron, timezone, enabled, removed, revision,
    EXISTS (SELECT FROM work w WHERE w.kind = 'schedule' AND w.key = concat_ws('/', s.workspace_id, s.definition_id, s.trigger_id))
FROM schedules s WHERE workspace_id = $1 AND definition_id = $2 ORDER BY trigger_id`, env.Workspace.ID, definitionID)
	require.NoError(env.T, err)
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[ScheduleRow])
	require.NoError(env.T, err)
	return found
}
