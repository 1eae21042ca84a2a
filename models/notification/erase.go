package notification

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/erase"
	"github.com/redline-svc/redline/models/internal/pg"
)

// EraseOfAnnotations takes people out of the notifications about annotations: as recipients, with the notifications that
// are for nobody then, and as those who caused them.
func EraseOfAnnotations(ctx context.Context, tx *pg.Tx, annotations []int64, m *erase.Marks) error {
	b := &pgx.Batch{}
	b.Queue(`DELETE FROM notification_recipients WHERE user_id = ANY ($2)
AND notification_id = ANY (ARRAY(SELECT id FROM notifications WHERE annotation_key = ANY ($1) ORDER BY id FOR UPDATE))`, annotations, m.IDs())
	b.Queue(`DELETE FROM notifications n WHERE annotation_key = ANY ($1)
AND NOT EXISTS (SELECT FROM notification_recipients WHERE notification_id = n.id)`, annotations)
	if err := tx.SendBatch(ctx, b).Close(); err != nil {
		return err
	}
	return eraseActors(ctx, tx, annotations, m)
}

// eraseActors puts the pseudonym in the place of those who caused notifications, which are held.
func eraseActors(ctx context.Context, tx *pg.Tx, annotations []int64, m *erase.Marks) error {
	rows, err := tx.Query(ctx, `SELECT id, action_user FROM notifications WHERE annotation_key = ANY ($1) AND may_name(action_user::text, $2)`, annotations, m.All())
	if err != nil {
		return err
	}
	var ids, actors []string
	var id string
	var actor []byte
	if _, err = pgx.ForEachRow(rows, []any{&id, &actor}, func() error {
		ids, actors = append(ids, id), append(actors, string(m.Person(actor)))
		return nil
	}); err != nil || len(ids) == 0 {
		return err
	}
	_, err = tx.Exec(ctx, `UPDATE notifications n SET action_user = e.actor::json FROM unnest($1::text[], $2::text[]) AS e (id, actor) WHERE n.id = e.id`, ids, actors)
	return err
}
