package definition

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/redline-svc/redline/internal/definition"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/subject"
)

const (
	// MaxSchedules is how many enabled schedules a workspace has at most.
	MaxSchedules = 1000
	// writeAgain is when a schedule that somebody has claimed to write it is offered
	// again.
	writeAgain = 30 * time.Second
	// WorkingSchedules is how many schedules of one workspace are claimed at the same
	// time.
	WorkingSchedules = 32
)

// keepSchedules writes by hand, all in one trip: a schedule that stays as it is owes
// the engine nothing.
const keepSchedules = `
INSERT INTO schedules AS s (workspace_id, definition_id, trigger_id, cron, timezone, enabled)
SELECT $1, $2, t.* FROM unnest($3::text[], $4::text[], $5::text[], $6::boolean[]) t
ON CONFLICT (workspace_id, definition_id, trigger_id) DO UPDATE SET cron = excluded.cron, timezone = excluded.timezone,
       enabled = excluded.enabled, removed = false, ` + owed + `
WHERE s.removed OR (s.cron, s.timezone, s.enabled) IS DISTINCT FROM (excluded.cron, excluded.timezone, excluded.enabled)`

// owed are the assignments of a schedule that has changed.
const owed = `state = 'owed', revision = s.revision + 1, changed_at = clock_timestamp(), drive_after = clock_timestamp()`

// storeSchedules makes the schedules of a definition those of its new version.
func storeSchedules(ctx context.Context, tx *pg.Tx, v *newVersion) error {
	ids, lines, zones, enabled := []string{}, []string{}, []string{}, []bool{}
	fires := false
	for _, t := range v.Triggers {
		if t.Schedule == nil {
			continue
		}
		ids, lines, zones = append(ids, t.ID), append(lines, t.Schedule.Cron), append(zones, t.Schedule.Timezone)
		enabled = append(enabled, t.Schedule.Enabled)
		fires = fires || t.Schedule.Enabled
	}
	if err := removeSchedules(ctx, tx, v.workspaceID, v.ID, ids); err != nil || len(ids) == 0 {
		return err
	}
	if _, err := tx.Exec(ctx, keepSchedules, v.workspaceID, v.ID, ids, lines, zones, enabled); err != nil || !fires {
		return err
	}
	return admitSchedules(ctx, tx, v.workspaceID)
}

// removeSchedules owes the engine the end of a definition's schedules, but for some.
func removeSchedules(ctx context.Context, tx *pg.Tx, workspaceID, definitionID string, but []string) error {
	_, err := tx.Exec(ctx, `UPDATE schedules s SET removed = true, enabled = false, `+owed+`
WHERE s.workspace_id = $1 AND s.definition_id = $2 AND NOT s.removed AND s.trigger_id <> ALL (coalesce($3::text[], '{}'))`,
		workspaceID, definitionID, but)
	return err
}

// admitSchedules lets one transaction of a workspace at a time count its schedules, so
// that two cannot share the last place. The advisory lock has no row, and is taken by
// hand.
func admitSchedules(ctx context.Context, tx *pg.Tx, workspaceID string) error {
	if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtextextended('schedules/' || $1, 0))`, workspaceID); err != nil {
		return err
	}
	var enabled int
	err := tx.QueryRow(ctx, `SELECT count(*) FROM schedules WHERE workspace_id = $1 AND enabled`, workspaceID).Scan(&enabled)
	if err == nil && enabled > MaxSchedules {
		return fault.ResourceExhausted("schedule-quota", fmt.Sprintf("the workspace would have more than %d enabled schedules, which is the limit", MaxSchedules), 0)
	}
	return err
}

// ScheduleRef is a schedule that the engine is owed, as it stood when it was claimed.
type ScheduleRef struct {
	WorkspaceID, DefinitionID, TriggerID string
	Revision                             int64
	Cron, Timezone                       string
	Enabled, Removed                     bool
}

// claimSchedules claims schedules for the engine.
var claimSchedules = pg.Queue{
	Update: `UPDATE schedules`, From: `FROM schedules`, Waiting: "owed", Working: "working",
	Order:   `changed_at, definition_id, trigger_id`,
	Columns: `workspace_id, definition_id, trigger_id, revision::text, cron, timezone, enabled::text, removed::text`,
}.Statement()

// ClaimSchedules claims up to limit schedules that the engine is owed, of workspaces in
// turn, beginning behind the workspace after. They are due again after half a minute,
// until they are written. last is where the next claim begins.
func (s *Definitions) ClaimSchedules(ctx context.Context, after string, limit int) (claimed []ScheduleRef, last string, err error) {
	rows, last, err := s.db.Claim(ctx, claimSchedules, after, limit, WorkingSchedules, writeAgain)
	for _, row := range rows {
		ref := ScheduleRef{
			WorkspaceID: row[0], DefinitionID: row[1], TriggerID: row[2], Cron: row[4], Timezone: row[5],
			Enabled: row[6] == "true", Removed: row[7] == "true",
		}
		ref.Revision, _ = strconv.ParseInt(row[3], 10, 64) // it is a number of Postgres
		claimed = append(claimed, ref)
	}
	return claimed, last, err
}

// ScheduleBack makes a claimed schedule due at once: the engine did not take it.
func (s *Definitions) ScheduleBack(ctx context.Context, of ScheduleRef) error {
	_, err := s.db.Pool.Exec(ctx, `UPDATE schedules SET drive_after = clock_timestamp()
WHERE workspace_id = $1 AND definition_id = $2 AND trigger_id = $3 AND state = 'working'`, of.WorkspaceID, of.DefinitionID, of.TriggerID)
	return pg.Translate(err)
}

// ScheduleWritten notes that the engine has a schedule as it was claimed. Where it has
// changed meanwhile, what was written may have come after the newer one, so it is owed
// again.
func (s *Definitions) ScheduleWritten(ctx context.Context, of ScheduleRef) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		gone, err := tx.Exec(ctx, `DELETE FROM schedules
WHERE workspace_id = $1 AND definition_id = $2 AND trigger_id = $3 AND revision = $4 AND removed`,
			of.WorkspaceID, of.DefinitionID, of.TriggerID, of.Revision)
		if err != nil || gone.RowsAffected() > 0 {
			return err
		}
		_, err = tx.Exec(ctx, `UPDATE schedules SET state = CASE WHEN revision = $4 THEN 'written' ELSE 'owed' END,
       revision = CASE WHEN revision = $4 THEN revision ELSE revision + 1 END, drive_after = clock_timestamp()
WHERE workspace_id = $1 AND definition_id = $2 AND trigger_id = $3`, of.WorkspaceID, of.DefinitionID, of.TriggerID, of.Revision)
		return err
	})
}

// OweSchedules owes the engine every enabled schedule again and gives how many: after
// it has lost what it had. What is there already is written over by the same.
func (s *Definitions) OweSchedules(ctx context.Context) (int, error) {
	done, err := s.db.Pool.Exec(ctx, `UPDATE schedules s SET `+owed+` WHERE s.enabled`)
	return int(done.RowsAffected()), pg.Translate(err)
}

// Firing is what an instant of a schedule dispatches. OrganizationID and DocumentID are
// those of the definition's scope, empty where it has none.
type Firing struct {
	OrganizationID, DocumentID string
	// Payload is the trigger's, nil where it has none.
	Payload json.RawMessage
}

// Fires gives what a trigger dispatches now; nil where the definition or the trigger is
// gone or switched off.
func (s *Definitions) Fires(ctx context.Context, workspaceID, definitionID, triggerID string) (*Firing, error) {
	var f Firing
	var snapshot string
	err := s.db.Pool.QueryRow(ctx, `SELECT coalesce(`+subject.ID("v.organization_key")+`, ''), coalesce(`+subject.ID("v.document_key")+`, ''), v.snapshot::text
FROM schedules s
JOIN definitions d ON d.workspace_id = s.workspace_id AND d.definition_id = s.definition_id AND d.status = 'active'
JOIN definition_versions v ON v.id = d.version_id
WHERE s.workspace_id = $1 AND s.definition_id = $2 AND s.trigger_id = $3 AND s.enabled`, workspaceID, definitionID, triggerID).
		Scan(&f.OrganizationID, &f.DocumentID, &snapshot)
	if pg.IsNoRow(err) {
		return nil, nil //nolint:nilnil // nothing to dispatch is a valid answer
	}
	if err != nil {
		return nil, pg.Translate(err)
	}
	triggers, err := definition.TriggersOf([]byte(snapshot))
	if err != nil {
		return nil, fault.Internal(err)
	}
	for _, t := range triggers {
		if t.ID == triggerID && t.Schedule != nil {
			f.Payload = t.Schedule.PayloadTemplate
			return &f, nil
		}
	}
	return nil, nil //nolint:nilnil // as above
}
