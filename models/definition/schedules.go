package definition

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/definition"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/queue"
	"github.com/redline-svc/redline/models/subject"
)

const (
	// MaxSchedules is how many enabled schedules a workspace has at most.
	MaxSchedules = 1000
	// scheduleBatch is how many schedules are queued in one transaction.
	scheduleBatch = 1000
)

// keepSchedules writes by hand, all in one trip, and returns the triggers whose schedules have
// changed.
const keepSchedules = `
INSERT INTO schedules AS s (workspace_id, definition_id, trigger_id, cron, timezone, enabled)
SELECT $1, $2, t.* FROM unnest($3::text[], $4::text[], $5::text[], $6::boolean[]) t
ON CONFLICT (workspace_id, definition_id, trigger_id) DO UPDATE SET cron = excluded.cron, timezone = excluded.timezone,
       enabled = excluded.enabled, removed = false, revision = s.revision + 1
WHERE s.removed OR (s.cron, s.timezone, s.enabled) IS DISTINCT FROM (excluded.cron, excluded.timezone, excluded.enabled)
RETURNING trigger_id`

// removeAll marks the schedules of a definition as removed, but for some, and returns their triggers.
const removeAll = `
UPDATE schedules s SET removed = true, enabled = false, revision = s.revision + 1
WHERE s.workspace_id = $1 AND s.definition_id = $2 AND NOT s.removed AND s.trigger_id <> ALL (coalesce($3::text[], '{}'))
RETURNING trigger_id`

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
	if err := queueChanged(ctx, tx, v.workspaceID, v.ID, keepSchedules, ids, lines, zones, enabled); err != nil || !fires {
		return err
	}
	return admitSchedules(ctx, tx, v.workspaceID)
}

// removeSchedules removes the schedules of a definition, but for some.
func removeSchedules(ctx context.Context, tx *pg.Tx, workspaceID, definitionID string, but []string) error {
	return queueChanged(ctx, tx, workspaceID, definitionID, removeAll, but)
}

// queueChanged changes schedules of a definition by a statement that returns their triggers, and
// queues them to be written.
func queueChanged(ctx context.Context, tx *pg.Tx, workspaceID, definitionID, change string, args ...any) error {
	rows, err := tx.Query(ctx, change, append([]any{workspaceID, definitionID}, args...)...)
	if err != nil {
		return err
	}
	changed, err := pgx.CollectRows(rows, pgx.RowTo[string])
	for _, triggerID := range changed {
		queueSchedule(tx, ScheduleRef{WorkspaceID: workspaceID, DefinitionID: definitionID, TriggerID: triggerID})
	}
	return err
}

// queueSchedule queues a schedule to be written.
func queueSchedule(tx *pg.Tx, of ScheduleRef) {
	key := of.WorkspaceID + "/" + url.PathEscape(of.DefinitionID) + "/" + url.PathEscape(of.TriggerID)
	queue.Put(tx, queue.Work{Kind: queue.Schedules, Key: key, WorkspaceID: of.WorkspaceID})
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

// ScheduleRef is a schedule as it stood when it was read.
type ScheduleRef struct {
	WorkspaceID, DefinitionID, TriggerID string
	Revision                             int64
	Cron, Timezone                       string
	Enabled, Removed                     bool
}

// Schedule returns the schedule that is queued under a key; nil when it is gone.
func (s *Definitions) Schedule(ctx context.Context, key string) (*ScheduleRef, error) {
	var found ScheduleRef
	parts := strings.SplitN(key, "/", 3)
	definitionID, err := url.PathUnescape(parts[1])
	if err != nil {
		return nil, fault.Internal(err)
	}
	triggerID, err := url.PathUnescape(parts[2])
	if err != nil {
		return nil, fault.Internal(err)
	}
	err = s.db.Pool.QueryRow(ctx, `SELECT workspace_id, definition_id, trigger_id, revision, cron, timezone, enabled, removed FROM schedules
WHERE workspace_id = $1 AND definition_id = $2 AND trigger_id = $3`, parts[0], definitionID, triggerID).
		Scan(&found.WorkspaceID, &found.DefinitionID, &found.TriggerID, &found.Revision, &found.Cron, &found.Timezone, &found.Enabled, &found.Removed)
	if pg.IsNoRow(err) {
		return nil, nil //nolint:nilnil // nothing to do is a valid answer
	}
	return &found, pg.Translate(err)
}

// ScheduleWritten notes that Temporal has a schedule as it was read. Where it has changed
// meanwhile, what was written may have come after the newer one, so it is queued again.
func (s *Definitions) ScheduleWritten(ctx context.Context, of ScheduleRef) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		_, err := tx.Exec(ctx, `DELETE FROM schedules
WHERE workspace_id = $1 AND definition_id = $2 AND trigger_id = $3 AND revision = $4 AND removed`,
			of.WorkspaceID, of.DefinitionID, of.TriggerID, of.Revision)
		if err != nil {
			return err
		}
		changed, err := tx.Exec(ctx, `UPDATE schedules SET revision = revision + 1
WHERE workspace_id = $1 AND definition_id = $2 AND trigger_id = $3 AND revision <> $4`, of.WorkspaceID, of.DefinitionID, of.TriggerID, of.Revision)
		if err == nil && changed.RowsAffected() > 0 {
			queueSchedule(tx, of)
		}
		return err
	})
}

// QueueSchedules queues every enabled schedule again and returns how many: after Temporal has
// lost what it had. What is there already is written over by the same.
func (s *Definitions) QueueSchedules(ctx context.Context) (queued int, err error) {
	var last ScheduleRef
	for found := scheduleBatch; found == scheduleBatch && err == nil; queued += found {
		err = s.db.InTx(ctx, func(tx *pg.Tx) error {
			found = 0
			rows, err := tx.Query(ctx, `SELECT workspace_id, definition_id, trigger_id FROM schedules
WHERE enabled AND (workspace_id, definition_id, trigger_id) > ($1, $2, $3) ORDER BY workspace_id, definition_id, trigger_id LIMIT $4`,
				last.WorkspaceID, last.DefinitionID, last.TriggerID, scheduleBatch)
			if err != nil {
				return err
			}
			_, err = pgx.ForEachRow(rows, []any{&last.WorkspaceID, &last.DefinitionID, &last.TriggerID}, func() error {
				queueSchedule(tx, last)
				found++
				return nil
			})
			return err
		})
	}
	return queued, err
}

// Firing is what an instant of a schedule dispatches. OrganizationID and DocumentID are
// those of the definition's scope, empty where it has none.
type Firing struct {
	OrganizationID, DocumentID string
	// Payload is the trigger's, nil where it has none.
	Payload json.RawMessage
}

// Fires returns what a trigger dispatches now; nil where the definition or the trigger is
// gone or switched off, or the workspace is stopped.
func (s *Definitions) Fires(ctx context.Context, workspaceID, definitionID, triggerID string) (*Firing, error) {
	var f Firing
	var snapshot string
	err := s.db.Pool.QueryRow(ctx, `SELECT coalesce(`+subject.ID("v.organization_key")+`, ''), coalesce(`+subject.ID("v.document_key")+`, ''), v.snapshot::text
FROM schedules s
JOIN definitions d ON d.workspace_id = s.workspace_id AND d.definition_id = s.definition_id AND d.status = 'active'
JOIN definition_versions v ON v.id = d.version_id
JOIN workspaces w ON w.id = s.workspace_id AND w.stopped_at IS NULL
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
