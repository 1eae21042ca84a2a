package annotation

import (
	"context"

	"github.com/redline-svc/redline/internal/person"
	"github.com/redline-svc/redline/models/annotation/change"
	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/internal/pg"
)

// NextNumber is the number that the next comment of an annotation would have.
func (s *Annotations) NextNumber(ctx context.Context, workspaceID string, in directory.Container, annotationID string) (number int64, err error) {
	c := &change.Change{WorkspaceID: workspaceID, Container: in}
	err = s.db.InTx(ctx, func(tx *pg.Tx) error {
		if err := c.Open(ctx, tx); err != nil {
			return err
		}
		a, err := change.LockAnnotation(ctx, tx, c, annotationID)
		if err != nil {
			return err
		}
		a.Follow(a.Comments...)
		next := &change.Comment{Content: change.Content{From: person.Person{UserID: "ann"}}}
		a.Append(next)
		number = next.Seq
		return nil
	})
	return number, err
}
