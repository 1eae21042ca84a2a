package execution

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"github.com/redline-svc/redline/activities"
	"github.com/redline-svc/redline/internal/contract"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/slots"
	"github.com/redline-svc/redline/models/definition"
	"github.com/redline-svc/redline/models/execution"
	"github.com/redline-svc/redline/models/quota"
)

// Triggers returns what the triggers of definitions dispatch (*definition.Definitions).
type Triggers interface {
	// Fires returns what a schedule dispatches now; nil when it is gone or switched off.
	Fires(ctx context.Context, workspaceID, definitionID, triggerID string) (*definition.Firing, error)
}

// Dispatches starts executions (*execution.Executions).
type Dispatches interface {
	Dispatch(ctx context.Context, workspaceID string, d execution.Dispatch) (execution.Dispatched, error)
}

// Schedules is the activity of the Scheduled workflow.
type Schedules struct {
	triggers Triggers
	rows     Dispatches
}

// NewSchedules makes the activity.
func NewSchedules(triggers Triggers, rows Dispatches) *Schedules { return &Schedules{triggers, rows} }

// Fire dispatches for one instant of a schedule, as the trigger stands now. The key is
// made of the instant, so a second try finds the execution of the first. Where the workspace
// keeps as much as it may, nothing is dispatched for this instant.
func (s *Schedules) Fire(ctx context.Context, in contract.FireInput) (contract.FireResult, error) {
	ctx = quota.Hold(slots.For(ctx, &in.WorkspaceID))
	firing, err := s.triggers.Fires(ctx, in.WorkspaceID, in.DefinitionID, in.TriggerID)
	if err != nil || firing == nil {
		return contract.FireResult{}, activities.Error(ctx, err)
	}
	done, err := s.rows.Dispatch(ctx, in.WorkspaceID, execution.Dispatch{
		DefinitionID: in.DefinitionID, KeySpace: contract.KeysOfSchedules,
		Key:            "sched:" + in.TriggerID + ":" + strconv.FormatInt(in.At, 10),
		TriggerContext: scheduleContext(in, firing.Payload),
		OrganizationID: firing.OrganizationID, DocumentID: firing.DocumentID,
	})
	switch {
	case fault.Is(err, fault.StatusNotFound), fault.Is(err, fault.StatusFailedPrecondition), // deleted since it was read
		quota.Refused(err):
		return contract.FireResult{}, nil
	case fault.Is(err, fault.StatusInvalidArgument): // its scope has changed since it was read: the next try fits
		err = fault.Unavailable(err)
	}
	return contract.FireResult{ExecutionID: done.ExecutionID}, activities.Error(ctx, err)
}

// instantForm is ISO 8601 in UTC with milliseconds.
const instantForm = "2006-01-02T15:04:05.000Z"

// scheduleContext is the trigger context of an instant. The payload stays as its
// author wrote it.
func scheduleContext(in contract.FireInput, payload json.RawMessage) json.RawMessage {
	if len(payload) == 0 {
		payload = json.RawMessage(`null`)
	}
	at := time.UnixMilli(in.At).UTC().Format(instantForm)
	text := `{"schedule":{"triggerId":` + strconv.Quote(in.TriggerID) + `,"scheduledAt":"` + at + `","payload":`
	return append(append([]byte(text), payload...), `}}`...)
}
