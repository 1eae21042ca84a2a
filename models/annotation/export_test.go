package annotation

import (
	"context"

	"github.com/redline-svc/redline/internal/person"
	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/internal/pg"
)

// NextNumber is the number that the next comment of an annotation would have.
func (s *Annotations) NextNumber(ctx context.Context, workspaceID string, in directory.Container, annotationID string) (number int64, err error) {
	c := &change{workspaceID: workspaceID, container: in}
	err = s.db.InTx(ctx, func(tx *pg.Tx) error {
		if err := c.open(ctx, tx); err != nil {
			return err
		}
		a, err := lockAnnotation(ctx, tx, c, annotationID)
		if err != nil {
			return err
		}
		a.follow(a.comments...)
		next := &changedComment{from: person.Person{UserID: "ann"}}
		a.append(next)
		number = next.seq
		return nil
	})
	return number, err
}
