package definition

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"

	"github.com/redline-svc/redline/internal/definition"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/id"
	"github.com/redline-svc/redline/internal/secret"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/subject"
)

// InboundTrigger is a trigger that a request from outside named, with what has to be
// known to prove the request and to dispatch for it.
type InboundTrigger struct {
	WorkspaceID, APIKeyID, DefinitionID string
	// OrganizationID and DocumentID are those of the definition's scope, empty where
	// it has none.
	OrganizationID, DocumentID string
	Trigger                    definition.Trigger
	Secret                     string
	// Suspended reports that an operator has closed the workspace: nothing new is started in it.
	Suspended bool
}

// findInbound reads in one trip: it stands in the way of every inbound request.
var findInbound = `
SELECT k.workspace_id, k.id, t.definition_id, coalesce(` + subject.ID("v.organization_key") + `, ''), coalesce(` + subject.ID("v.document_key") + `, ''),
       t.id, t.settings::text, t.secret_sealed, w.suspended_at IS NOT NULL
FROM api_keys k
JOIN workspaces w ON w.id = k.workspace_id AND w.deleted_at IS NULL
JOIN definitions d ON d.workspace_id = k.workspace_id AND d.definition_id = $2 AND d.status = 'active'
JOIN definition_versions v ON v.id = d.version_id
JOIN inbound_triggers t ON t.workspace_id = d.workspace_id AND t.definition_id = d.definition_id AND t.trigger_id = $3
WHERE k.id = $1 AND k.disabled_at IS NULL`

// Inbound finds the trigger of an active definition by the id of an API key of its
// workspace. The error is UNAUTHENTICATED, whatever of the three is unknown.
func (s *Definitions) Inbound(ctx context.Context, apiKeyID, definitionID, triggerID string) (*InboundTrigger, error) {
	var t InboundTrigger
	var row inboundRow
	err := s.db.Pool.QueryRow(ctx, findInbound, apiKeyID, definitionID, triggerID).Scan(
		&t.WorkspaceID, &t.APIKeyID, &t.DefinitionID, &t.OrganizationID, &t.DocumentID, &row.ID, &row.Settings, &row.SecretSealed, &t.Suspended)
	if pg.IsNoRow(err) {
		return nil, fault.Unauthenticated()
	}
	if err != nil {
		return nil, pg.Translate(err)
	}
	plain, err := s.box.Open(inboundBinding(t.WorkspaceID, row.ID), row.SecretSealed)
	if err != nil {
		return nil, fault.Internal(err)
	}
	t.Secret = string(plain)
	if err := json.Unmarshal(row.Settings, &t.Trigger); err != nil {
		return nil, fault.Internal(err)
	}
	return &t, nil
}

// inboundBinding is where the secret of a trigger is sealed.
func inboundBinding(workspaceID, rowID string) secret.Binding {
	return secret.Binding{Table: "inbound_triggers", Column: "secret_sealed", Row: rowID, Workspace: workspaceID}
}

// TriggersWithSecret are the triggers of a definition, by their ids, whose secret an
// update may leave out.
func (s *Definitions) TriggersWithSecret(ctx context.Context, workspaceID, definitionID string) ([]string, error) {
	rows, err := gorm.G[inboundRow](s.db.Gorm).Scopes(pg.Tenant(workspaceID)).Where("definition_id = ?", definitionID).
		Select("trigger_id").Find(ctx)
	if err != nil {
		return nil, pg.Translate(err)
	}
	var ids []string
	for _, row := range rows {
		ids = append(ids, row.TriggerID)
	}
	return ids, nil
}

// storeInbound makes the inbound triggers of a definition those of its new version.
// One whose secret was not given keeps the one that it has.
func (s *Definitions) storeInbound(ctx context.Context, tx *pg.Tx, v *newVersion) error {
	old, err := dropInbound(ctx, tx, v.workspaceID, v.ID)
	if err != nil {
		return err
	}
	var rows []inboundRow
	for _, t := range v.Triggers {
		if t.Inbound == nil {
			continue
		}
		row, err := s.inboundRow(v, t, old)
		if err != nil {
			return err
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		return nil
	}
	return gorm.G[inboundRow](tx.Gorm()).CreateInBatches(ctx, &rows, len(rows))
}

// dropInbound removes the inbound triggers of a definition and returns what they were.
// By hand, since it changes and reads in one trip.
func dropInbound(ctx context.Context, tx *pg.Tx, workspaceID, definitionID string) ([]inboundRow, error) {
	rows, err := tx.Query(ctx, `DELETE FROM inbound_triggers WHERE workspace_id = $1 AND definition_id = $2
RETURNING id, trigger_id, secret_sealed`, workspaceID, definitionID)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (old inboundRow, err error) {
		return old, row.Scan(&old.ID, &old.TriggerID, &old.SecretSealed)
	})
}

// inboundRow is the row of a trigger: with the secret that was given, or with the one
// that the trigger had.
func (s *Definitions) inboundRow(v *newVersion, t definition.Trigger, old []inboundRow) (inboundRow, error) {
	settings, err := json.Marshal(t)
	if err != nil {
		return inboundRow{}, fault.Internal(err)
	}
	row := inboundRow{ID: id.New(id.Trigger), WorkspaceID: v.workspaceID, DefinitionID: v.ID, TriggerID: t.ID, Settings: settings}
	if given, there := v.TriggerSecrets[t.ID]; there {
		row.SecretSealed = s.box.Seal(inboundBinding(v.workspaceID, row.ID), []byte(given))
		return row, nil
	}
	i := slices.IndexFunc(old, func(o inboundRow) bool { return o.TriggerID == t.ID })
	if i < 0 {
		return row, fault.FailedPrecondition("version-mismatch", fmt.Sprintf("the trigger %q has no secret any more", t.ID))
	}
	row.ID, row.SecretSealed = old[i].ID, old[i].SecretSealed
	return row, nil
}
