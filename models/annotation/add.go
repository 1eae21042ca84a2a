package annotation

import (
	"context"

	"github.com/redline-svc/redline/models/internal/pg"
)

// addCall is one call of Add within its transaction: it fills the change.
type addCall struct {
	Addition
	authorship
}

// Add adds annotations to a document, all or none. Errors, in this order:
// FAILED_PRECONDITION (private-comments-disabled); NOT_FOUND of organization,
// document; ABORTED (migration-in-progress) of a document whose id is reserved; NOT_FOUND of
// agents; PERMISSION_DENIED with the authors; ALREADY_EXISTS with the annotations in use.
func (s *Annotations) Add(ctx context.Context, workspaceID string, add Addition) ([]Added, error) {
	a := &addCall{Addition: add, authorship: authorship{
		change: change{workspaceID: workspaceID, apiKeyID: add.APIKeyID, container: add.Container},
	}}
	for i := range add.Annotations {
		a.sends(add.Annotations[i].Comments, func(int) int { return i })
	}
	err := s.db.InTx(ctx, func(tx *pg.Tx) error {
		for _, step := range []func(context.Context, *pg.Tx) error{a.open, a.verifyAuthors, a.join, a.fill, a.insertAnnotations, a.insertComments} {
			if err := step(ctx, tx); err != nil {
				return err
			}
		}
		return storeEffects(ctx, tx, &a.change)
	})
	if err != nil {
		return nil, err
	}
	s.dropped(a.change.dropped)
	return a.added(), nil
}

// added is the answer.
func (a *addCall) added() []Added {
	all := make([]Added, len(a.change.annotations))
	for i, annotation := range a.change.annotations {
		all[i] = Added{ID: annotation.id, FindingID: annotation.comments[0].Agent.findingID()}
		for _, c := range annotation.comments {
			all[i].CommentIDs = append(all[i].CommentIDs, c.id)
		}
	}
	return all
}

// open looks at the settings and holds the document.
func (a *addCall) open(ctx context.Context, tx *pg.Tx) error {
	private, err := a.readSettings(ctx, tx)
	if err != nil {
		return err
	}
	if !private && a.private() {
		return privateDisabled()
	}
	if err = a.enter(ctx, tx); err != nil {
		return err
	}
	return a.checkAgents(ctx, tx)
}

// verifyAuthors refuses the call, where it asks for that, when one of its authors may not
// write.
func (a *addCall) verifyAuthors(ctx context.Context, tx *pg.Tx) error {
	if !a.Verify {
		return nil
	}
	return a.verify(ctx, tx)
}
