package activity

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/internal/pg"
)

// deletedAtOnce is how many records one call deletes at most.
const deletedAtOnce = 1000

// Deletion names records: those that keep to all that is not empty. At least one of document,
// target and ids is there; each id is named once.
type Deletion struct {
	directory.Container
	TargetID string
	IDs      []string
}

// Deleted is what became of the records of a call. Kept counts immutable ones that were not
// named, More says that there are others to be deleted.
type Deleted struct {
	Entries []directory.Entry
	Kept    int64
	More    bool
}

// Delete deletes records, as many as one call may, and returns an entry for each that is
// deleted or named: not-found and immutable ones stay. Errors: NOT_FOUND of organization,
// document.
func (s *Activities) Delete(ctx context.Context, workspaceID string, d Deletion) (*Deleted, error) {
	result := &Deleted{}
	var selected *pg.Conditions
	err := s.db.InTx(ctx, func(tx *pg.Tx) error {
		organization, err := d.OpenOrganization(ctx, tx, workspaceID, directory.LockStay)
		if err != nil {
			return err
		}
		at, err := d.OpenRest(ctx, tx, workspaceID, organization)
		if err != nil {
			return err
		}
		r := &reading{Filter: Filter{TargetID: d.TargetID, IDs: d.IDs}, workspaceID: workspaceID, at: scope{organization: at.Organization}}
		if at.Document != nil {
			r.at.document = *at.Document
		}
		selected = r.conditions()
		chosen, err := d.lock(ctx, tx, r, result)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `DELETE FROM activities WHERE workspace_id = $1 AND id = ANY($2)`, workspaceID, chosen)
		return err
	})
	if err != nil || len(d.IDs) > 0 {
		return result, err
	}
	// They may be any number, and stay as they are, so they are counted while nothing is locked.
	return result, s.db.CountMany(ctx, workspaceID, func() error {
		return s.db.Pool.QueryRow(ctx, `SELECT count(*) FROM activities r WHERE r.workspace_id = $1`+selected.Text()+` AND r.immutable`, selected.Args...).Scan(&result.Kept)
	})
}

// lock locks the records that are to go, the first ones by their ids, and says in the result
// what becomes of them and of those that stay.
func (d *Deletion) lock(ctx context.Context, tx *pg.Tx, r *reading, result *Deleted) (chosen []string, err error) {
	q := r.conditions()
	if len(d.IDs) == 0 {
		q.And("NOT r.immutable")
	}
	rows, err := tx.Query(ctx, `SELECT r.id, r.immutable FROM activities r WHERE r.workspace_id = $1`+q.Text()+` ORDER BY r.id LIMIT `+
		q.Value(deletedAtOnce+1)+` FOR UPDATE OF r`, q.Args...)
	if err != nil {
		return nil, err
	}
	codes := map[string]string{}
	var id string
	var immutable bool
	_, err = pgx.ForEachRow(rows, []any{&id, &immutable}, func() error {
		switch {
		case immutable:
			codes[id] = CodeImmutable
		case len(chosen) == deletedAtOnce:
			result.More = true
		default:
			codes[id], chosen = "", append(chosen, id)
		}
		return nil
	})
	result.Entries = d.entries(chosen, codes)
	return chosen, err
}

// entries are those of the named records, or of the chosen ones where none are named.
func (d *Deletion) entries(chosen []string, codes map[string]string) (entries []directory.Entry) {
	named := d.IDs
	if len(named) == 0 {
		named = chosen
	}
	for _, id := range named {
		code, there := codes[id]
		if !there {
			code = directory.CodeNotFound
		}
		entries = append(entries, directory.Entry{ID: id, ItemID: id, Code: code})
	}
	return entries
}
