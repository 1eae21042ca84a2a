package annotation

import (
	"context"

	"github.com/redline-svc/redline/internal/person"
	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/internal/pg"
)

// MarkedAtOnce is how many annotations one transaction marks.
const MarkedAtOnce = markedAtOnce

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
		next := &comment{Content: Content{From: person.Person{UserID: "ann"}}}
		a.add(next)
		number = next.seq
		return nil
	})
	return number, err
}

// Query is the statement that finds the annotations.
func (s Selection) Query(workspaceID string, document int64) (text string, args []any) {
	return s.query(workspaceID, document, lockToDelete)
}

// LockedIDs locks the annotations as a deletion does, and returns their ids.
func (s Selection) LockedIDs(ctx context.Context, tx *pg.Tx, workspaceID string, document int64) ([]string, error) {
	found, err := s.lock(ctx, tx, workspaceID, document, lockToDelete)
	return found.iDs, err
}

// WithinBounds is how many of so many annotations one call takes, by what their threads
// take, and whether there are more.
func WithinBounds(n int, takes func(i int) (comments, bytes int64)) (taken int, more bool) {
	all := make([]selectable, n)
	for i := range all {
		all[i].comments, all[i].bytes = takes(i)
	}
	found := withinBounds(all)
	return len(found.keys), found.more
}
