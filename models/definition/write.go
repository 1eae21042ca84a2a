package definition

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/redline-svc/redline/internal/definition"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/id"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/subject"
)

// newVersion is a version about to be stored.
type newVersion struct {
	*definition.Definition
	workspaceID string
	id          string
	number      int
	definedAt   time.Time
	createdAt   time.Time
	// subjects are those that its scope names.
	subjects subject.Keys
	compiled []byte
	receiver sealedReceiver
}

// sealedReceiver is the receiver of a version as its row holds it.
type sealedReceiver struct {
	url        *string
	secret     []byte
	eventTypes []string
}

// Create stores a definition as version 1. An id that a delete freed starts
// again, and its old versions go. Errors: ALREADY_EXISTS, RESOURCE_EXHAUSTED
// (MaxDefinitions active ones).
func (s *Definitions) Create(ctx context.Context, workspaceID string, d *definition.Definition) (*View, error) {
	v := newVersion{Definition: d, workspaceID: workspaceID, id: id.New(id.Version), number: 1}
	if d.Receiver != nil {
		v.receiver = s.seal(workspaceID, v.id, d.Receiver)
	}
	err := s.db.InTx(ctx, func(tx *pg.Tx) error {
		if err := admitDefinition(ctx, tx, workspaceID, d.ID); err != nil {
			return err
		}
		if err := dropDefinition(ctx, tx, workspaceID, d.ID); err != nil {
			return err
		}
		if err := v.stamp(ctx, tx); err != nil {
			return err
		}
		v.definedAt = v.createdAt
		if err := v.insert(ctx, tx); err != nil {
			return err
		}
		if err := v.insertRow(ctx, tx); err != nil {
			return err
		}
		return s.storeTriggers(ctx, tx, &v)
	})
	if err != nil {
		return nil, err
	}
	return v.view()
}

// admitDefinition lets one create of a workspace at a time pass, so that two
// cannot share one id, nor the last place. It looks whether the id is free, then
// whether there is a place. The advisory lock has no row, and is taken by hand.
func admitDefinition(ctx context.Context, tx *pg.Tx, workspaceID, definitionID string) error {
	if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtextextended('definitions/' || $1, 0))`, workspaceID); err != nil {
		return err
	}
	old, err := lockRow(ctx, tx, workspaceID, definitionID, lockToEnd)
	if err != nil {
		return err
	}
	if old != nil && old.Status == definitionActive {
		return fault.AlreadyExists("definition-exists", fmt.Sprintf("an active definition has the id %q", definitionID))
	}
	active, err := gorm.G[definitionRow](tx.Gorm()).Scopes(pg.Tenant(workspaceID)).Where("status = 'active'").Count(ctx, "*")
	if err == nil && active >= MaxActive {
		return fault.ResourceExhausted("definition-quota", fmt.Sprintf("the workspace has %d active definitions, which is the limit", MaxActive), 0)
	}
	return err
}

// dropDefinition removes a definition with all its versions.
func dropDefinition(ctx context.Context, tx *pg.Tx, workspaceID, definitionID string) error {
	_, err := gorm.G[versionRow](tx.Gorm()).Scopes(pg.Tenant(workspaceID)).Where("definition_id = ?", definitionID).Delete(ctx)
	if err != nil {
		return err
	}
	_, err = gorm.G[definitionRow](tx.Gorm()).Scopes(pg.Tenant(workspaceID)).Where("definition_id = ?", definitionID).Delete(ctx)
	return err
}

// Update stores the next version. Without a receiver of its own it keeps the
// present one, unless it clears it. Errors: NOT_FOUND, FAILED_PRECONDITION
// (version-mismatch).
func (s *Definitions) Update(ctx context.Context, workspaceID string, d *definition.Definition) (*View, error) {
	v := newVersion{Definition: d, workspaceID: workspaceID, id: id.New(id.Version)}
	err := s.db.InTx(ctx, func(tx *pg.Tx) error {
		old, err := lockRow(ctx, tx, workspaceID, d.ID, lockToChange)
		if err != nil {
			return err
		}
		if old == nil || old.Status != definitionActive {
			return errNoDefinition()
		}
		if old.Version != d.IfVersion {
			return fault.FailedPrecondition("version-mismatch", fmt.Sprintf("the current version is %d, not %d", old.Version, d.IfVersion))
		}
		if err := s.receiverAfter(ctx, tx, &v, old.VersionID); err != nil {
			return err
		}
		if err := v.stamp(ctx, tx); err != nil {
			return err
		}
		v.number, v.definedAt = old.Version+1, old.CreatedAt
		if err := v.insert(ctx, tx); err != nil {
			return err
		}
		if err := v.updateRow(ctx, tx); err != nil {
			return err
		}
		return s.storeTriggers(ctx, tx, &v)
	})
	if err != nil {
		return nil, err
	}
	return v.view()
}

// receiverAfter fixes the receiver of an update: its own, the present one
// sealed again for the new row, or none.
func (s *Definitions) receiverAfter(ctx context.Context, tx *pg.Tx, v *newVersion, oldVersionID string) error {
	if v.Receiver != nil {
		v.receiver = s.seal(v.workspaceID, v.id, v.Receiver)
		return nil
	}
	if v.ClearsReceiver {
		return nil
	}
	old, err := gorm.G[versionRow](tx.Gorm()).Select("receiver_url, receiver_secret, receiver_event_types").
		Scopes(pg.Tenant(v.workspaceID)).Where("id = ?", oldVersionID).Take(ctx)
	if err != nil || old.ReceiverSecret == nil {
		return err
	}
	plain, err := s.box.Open(receiverBinding(v.workspaceID, oldVersionID), old.ReceiverSecret)
	if err != nil {
		return fault.Internal(err)
	}
	v.receiver = sealedReceiver{old.ReceiverURL, s.box.Seal(receiverBinding(v.workspaceID, v.id), plain), old.ReceiverEventTypes}
	return nil
}

func (s *Definitions) seal(workspaceID, versionID string, r *definition.Receiver) sealedReceiver {
	return sealedReceiver{&r.URL, s.box.Seal(receiverBinding(workspaceID, versionID), []byte(r.Secret)), r.EventTypes}
}

// stamp takes the time of the version, after the locks, and finds or makes the
// subjects of its scope: SQL by hand, in one trip.
func (v *newVersion) stamp(ctx context.Context, tx *pg.Tx) error {
	return tx.QueryRow(ctx, `SELECT o.*, clock_timestamp() FROM (`+subject.Open+`) o`, v.workspaceID,
		pg.Optional(v.Scope.OrganizationID), pg.Optional(v.Scope.DocumentID)).
		Scan(&v.subjects.Organization, &v.subjects.Document, &v.createdAt)
}

// insert stores the version itself.
func (v *newVersion) insert(ctx context.Context, tx *pg.Tx) error {
	var err error
	if v.compiled, err = json.Marshal(v.Graph.Compile()); err != nil {
		return fault.Internal(err)
	}
	return gorm.G[versionRow](tx.Gorm()).Create(ctx, &versionRow{
		ID: v.id, WorkspaceID: v.workspaceID, DefinitionID: v.ID, Version: v.number, Name: v.Name, ScopeLevel: string(v.Scope.Level),
		OrganizationKey: v.subjects.Organization, DocumentKey: v.subjects.Document,
		Snapshot: v.Snapshot, Compiled: v.compiled, Size: len(v.Snapshot) + len(v.compiled), NodeCount: v.NodeCount, EdgeCount: v.EdgeCount,
		ReceiverURL: v.receiver.url, ReceiverSecret: v.receiver.secret, ReceiverEventTypes: v.receiver.eventTypes,
		DefinedAt: v.definedAt, CreatedAt: v.createdAt,
	})
}

// tags are never NULL in the row.
func (v *newVersion) tags() pg.Texts { return append(pg.Texts{}, v.Tags...) }

func (v *newVersion) insertRow(ctx context.Context, tx *pg.Tx) error {
	return gorm.G[definitionRow](tx.Gorm()).Create(ctx, &definitionRow{
		WorkspaceID: v.workspaceID, DefinitionID: v.ID, Status: definitionActive, Version: v.number, VersionID: v.id,
		OrganizationKey: v.subjects.Organization, DocumentKey: v.subjects.Document, Tags: v.tags(),
		CreatedAt: v.createdAt, UpdatedAt: v.createdAt,
	})
}

func (v *newVersion) updateRow(ctx context.Context, tx *pg.Tx) error {
	_, err := gorm.G[definitionRow](tx.Gorm()).Scopes(pg.Tenant(v.workspaceID)).Where("definition_id = ?", v.ID).
		Set(clause.Assignments(map[string]any{
			"version": v.number, "version_id": v.id, "tags": v.tags(), "updated_at": v.createdAt,
			"organization_key": v.subjects.Organization, "document_key": v.subjects.Document,
		})).Update(ctx)
	return err
}

// view is the version as it will be read from its row.
func (v *newVersion) view() (*View, error) {
	out := &View{
		DefinitionID: v.ID, Version: v.number, Compiled: v.compiled, Status: definitionActive,
		Scope:     ScopeView{string(v.Scope.Level), pg.Optional(v.Scope.OrganizationID), pg.Optional(v.Scope.DocumentID)},
		CreatedAt: v.definedAt.UnixMilli(), UpdatedAt: v.createdAt.UnixMilli(),
	}
	return out, out.fill(v.Snapshot)
}

// Deletion names a definition that ends, or with Purge goes with its versions. The caller's
// ids of organization and document, where they are not empty, have to be those of its scope.
type Deletion struct {
	DefinitionID, OrganizationID, DocumentID string
	Purge                                    bool
}

// scopeFits reports whether ids are those of a definition's scope; one of the whole
// workspace has none that they could miss.
var scopeFits = `
SELECT ($3 = '' OR coalesce(` + subject.ID("organization_key") + `, $3) = $3) AND ($4 = '' OR coalesce(` + subject.ID("document_key") + `, $4) = $4)
FROM definitions WHERE workspace_id = $1 AND definition_id = $2`

// checkScope answers NOT_FOUND where the call means a definition of another place.
func (d *Deletion) checkScope(ctx context.Context, tx *pg.Tx, workspaceID string) error {
	if d.OrganizationID+d.DocumentID == "" {
		return nil
	}
	var fits bool
	if err := tx.QueryRow(ctx, scopeFits, workspaceID, d.DefinitionID, d.OrganizationID, d.DocumentID).Scan(&fits); err != nil {
		return err
	}
	if !fits {
		return errNoDefinition()
	}
	return nil
}

// Delete tombstones a definition, or with purge removes it with its versions, a
// tombstoned one too. A dispatch holds the row until it has committed, so
// either its execution is seen here or it finds the definition gone. Errors:
// NOT_FOUND, FAILED_PRECONDITION (live-executions).
func (s *Definitions) Delete(ctx context.Context, workspaceID string, d Deletion) error {
	definitionID := d.DefinitionID
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		old, err := lockRow(ctx, tx, workspaceID, definitionID, lockToEnd)
		if err != nil {
			return err
		}
		if old == nil || (old.Status != definitionActive && !d.Purge) {
			return errNoDefinition()
		}
		if err := d.checkScope(ctx, tx, workspaceID); err != nil {
			return err
		}
		if err := noLiveExecutions(ctx, tx, workspaceID, definitionID); err != nil {
			return err
		}
		if err := dropTriggers(ctx, tx, workspaceID, definitionID); err != nil {
			return err
		}
		if d.Purge {
			return dropDefinition(ctx, tx, workspaceID, definitionID)
		}
		_, err = gorm.G[definitionRow](tx.Gorm()).Scopes(pg.Tenant(workspaceID)).Where("definition_id = ?", definitionID).
			Set(clause.Assignments(map[string]any{"status": "tombstoned", "tombstoned_at": pg.Clock})).Update(ctx)
		return err
	})
}

// noLiveExecutions asks by hand: the row is another package's, and EXISTS ends at the
// first one.
func noLiveExecutions(ctx context.Context, tx *pg.Tx, workspaceID, definitionID string) error {
	var live bool
	err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM executions
WHERE workspace_id = $1 AND definition_id = $2 AND status IN ('pending', 'running'))`, workspaceID, definitionID).Scan(&live)
	if err == nil && live {
		return fault.FailedPrecondition("live-executions", "executions of the definition are pending or running")
	}
	return err
}
