package activity

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/internal/pg"
)

// MaxRecord bounds a record as JSON, and its message, in bytes.
const MaxRecord = 32 << 10

// The codes of records that a call leaves as they are.
const (
	CodeImmutable = "immutable"
	CodeTooLarge  = "too-large"
)

// Change gives a record new parts. What is nil stays; an empty text clears.
type Change struct {
	ID                                              string
	Changes, EntityData, EntityTarget, TemplateData *json.RawMessage
	Template, Icon                                  *string
}

// apply puts what is sent into the parts.
func (c *Change) apply(p *Parts) {
	for to, sent := range map[*json.RawMessage]*json.RawMessage{
		&p.Changes: c.Changes, &p.EntityData: c.EntityData, &p.EntityTarget: c.EntityTarget, &p.TemplateData: c.TemplateData,
	} {
		if sent != nil {
			*to = *sent
		}
	}
	for to, sent := range map[*string]*string{&p.Template: c.Template, &p.Icon: c.Icon} {
		if sent != nil {
			*to = *sent
		}
	}
}

// size is about that of a record as JSON, in bytes.
func (r *Record) size() (n int) {
	for _, part := range []json.RawMessage{r.ActionUser, r.Changes, r.EntityData, r.EntityTarget, r.TemplateData} {
		n += len(part)
	}
	for _, text := range []string{r.ID, r.FeatureType, r.ActionType, r.TargetID, r.TargetSub, r.Template, r.Icon} {
		n += len(text)
	}
	return n
}

// lockNamed locks the records of an organization that a call names, in the order of their ids.
const lockNamed = `
SELECT r.id, r.feature_type, r.action_type, r.action_user, r.annotation_id, coalesce(r.target_sub, ''), r.changes, r.entity_data, r.entity_target,
       r.template, r.template_data, r.icon, r.immutable
FROM activities r WHERE r.workspace_id = $1 AND r.id = ANY($2) AND r.organization_key = $3 AND ` + there + ` ORDER BY r.id FOR NO KEY UPDATE OF r`

const updateRecord = `
UPDATE activities SET changes = $3, entity_data = $4, entity_target = $5, template = $6, template_data = $7, icon = $8, message = $9
WHERE workspace_id = $1 AND id = $2`

// Update changes records of an organization, each of which is named once, and returns an entry
// for each: not-found, immutable and too-large ones stay as they are. Error: NOT_FOUND of the
// organization.
func (s *Activities) Update(ctx context.Context, workspaceID, organizationID string, changes []Change) (entries []directory.Entry, err error) {
	err = s.db.InTx(ctx, func(tx *pg.Tx) error {
		c := directory.Container{OrganizationID: organizationID}
		organization, err := c.OpenOrganization(ctx, tx, workspaceID, directory.LockStay)
		if err != nil {
			return err
		}
		locked, err := lockRecords(ctx, tx, workspaceID, organization, changes)
		if err != nil {
			return err
		}
		b := &pgx.Batch{}
		entries = make([]directory.Entry, len(changes))
		for i := range changes {
			entries[i] = directory.Entry{ID: changes[i].ID, ItemID: changes[i].ID, Code: changes[i].queue(b, workspaceID, locked[changes[i].ID])}
		}
		return tx.SendBatch(ctx, b).Close()
	})
	return entries, err
}

// queue queues the statement that stores the change of a record, or returns why it stays as
// it is.
func (c *Change) queue(b *pgx.Batch, workspaceID string, r *Record) (code string) {
	switch {
	case r == nil:
		return directory.CodeNotFound
	case r.Immutable:
		return CodeImmutable
	}
	c.apply(&r.Parts)
	message, fits := r.Message()
	if !fits || len(message) > MaxRecord || r.size() > MaxRecord {
		return CodeTooLarge
	}
	b.Queue(updateRecord, workspaceID, r.ID, pg.JSONOrNil(r.Changes), pg.JSONOrNil(r.EntityData), pg.JSONOrNil(r.EntityTarget),
		r.Template, pg.JSONOrNil(r.TemplateData), r.Icon, message)
	return ""
}

// lockRecords returns those that are there, by their ids.
func lockRecords(ctx context.Context, tx *pg.Tx, workspaceID string, organization int64, changes []Change) (map[string]*Record, error) {
	ids := make([]string, len(changes))
	for i, c := range changes {
		ids[i] = c.ID
	}
	slices.SortFunc(ids, strings.Compare)
	rows, err := tx.Query(ctx, lockNamed, workspaceID, ids, organization)
	if err != nil {
		return nil, err
	}
	locked := map[string]*Record{}
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (*Record, error) {
		r := &Record{}
		return r, row.Scan(&r.ID, &r.FeatureType, &r.ActionType, (*[]byte)(&r.ActionUser), &r.TargetID, &r.TargetSub, (*[]byte)(&r.Changes),
			(*[]byte)(&r.EntityData), (*[]byte)(&r.EntityTarget), &r.Template, (*[]byte)(&r.TemplateData), &r.Icon, &r.Immutable)
	})
	for _, r := range all {
		locked[r.ID] = r
	}
	return locked, err
}
