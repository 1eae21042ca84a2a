package notification

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/internal/pg"
)

// keys are the ids of rows by the names of notifications: a caller names those that it added
// by ids of its own.
type keys map[string]string

// keysOf finds the keys of named notifications.
func keysOf(ctx context.Context, q pg.Queryer, workspaceID string, names []string) (keys, error) {
	found := keys{}
	if len(names) == 0 {
		return found, nil
	}
	rows, err := q.Query(ctx, `
SELECT id, id FROM notifications WHERE workspace_id = $1 AND id = ANY($2) AND own_id IS NULL
UNION ALL SELECT own_id, id FROM notifications WHERE workspace_id = $1 AND own_id = ANY($2)`, workspaceID, names)
	if err != nil {
		return nil, err
	}
	var name, key string
	_, err = pgx.ForEachRow(rows, []any{&name, &key}, func() error {
		found[name] = key
		return nil
	})
	return found, err
}

// all are the keys of those of the names that are there.
func (k keys) all(names []string) (all []string) {
	for _, name := range names {
		if key, known := k[name]; known {
			all = append(all, key)
		}
	}
	return all
}

// entriesOf are those of named notifications, of which the rows with these keys are there.
func (k keys) entriesOf(names, there []string) []directory.Entry {
	known := setOf(there)
	entries := make([]directory.Entry, len(names))
	for i, name := range names {
		if entries[i] = (directory.Entry{ID: name, ItemID: name}); !known[k[name]] {
			entries[i].Code = directory.CodeNotFound
		}
	}
	return entries
}

// Documents are the ids of the documents of named notifications that are there, by their names.
func (s *Notifications) Documents(ctx context.Context, workspaceID string, of Narrowing, names []string) (map[string]string, error) {
	rows, err := s.db.Pool.Query(ctx, `
SELECT coalesce(n.own_id, n.id), d.document_id FROM notifications n JOIN documents d ON d.key = n.document_key JOIN organizations o ON o.key = d.organization_key
WHERE n.workspace_id = $1 AND o.organization_id = $2 AND (n.id = ANY($3) OR n.own_id = ANY($3))`,
		workspaceID, of.OrganizationID, names)
	if err != nil {
		return nil, pg.Translate(err)
	}
	found := map[string]string{}
	var name, document string
	_, err = pgx.ForEachRow(rows, []any{&name, &document}, func() error {
		found[name] = document
		return nil
	})
	return found, pg.Translate(err)
}
