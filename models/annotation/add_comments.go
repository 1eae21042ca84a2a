package annotation

import (
	"context"

	"github.com/redline-svc/redline/internal/envelope"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/internal/pg"
)

// maxComments bounds the comments of a thread.
const maxComments = 1000

// Reply is a call that adds comments to one annotation.
type Reply struct {
	directory.Container
	// APIKeyID is the calling key's; the events of the call name it.
	APIKeyID     string
	AnnotationID string
	// Verify lets only authors add who may write to the document.
	Verify   bool
	Comments []NewComment
}

// replyCall is one call of AddComments within its transaction: it fills the change.
type replyCall struct {
	Reply
	authorship
	// annotation is the one that gets the comments, and the only one of the change.
	annotation *annotation
}

// AddComments adds comments to the end of a thread, all or none, and returns their ids.
// Errors, in this order: NOT_FOUND of organization, document, annotation;
// PERMISSION_DENIED with the authors; NOT_FOUND of agents; ALREADY_EXISTS with the
// comments in use; FAILED_PRECONDITION when the thread would be too long or too large.
func (s *Annotations) AddComments(ctx context.Context, workspaceID string, reply Reply) ([]int64, error) {
	r := &replyCall{Reply: reply, authorship: authorship{
		change: change{workspaceID: workspaceID, apiKeyID: reply.APIKeyID, container: reply.Container},
	}}
	r.sends(reply.Comments, func(i int) int { return i })
	err := s.db.InTx(ctx, func(tx *pg.Tx) error {
		for _, step := range []func(context.Context, *pg.Tx) error{r.open, r.check, r.join, r.fill, r.insertComments, r.store} {
			if err := step(ctx, tx); err != nil {
				return err
			}
		}
		return storeEffects(ctx, tx, &r.change)
	})
	if err != nil {
		return nil, err
	}
	s.dropped(r.change.dropped)
	ids := make([]int64, len(r.annotation.changed))
	for i, c := range r.annotation.changed {
		ids[i] = c.id
	}
	return ids, nil
}

// open holds the document and then the annotation: from there on nobody else adds to its
// thread.
func (r *replyCall) open(ctx context.Context, tx *pg.Tx) error {
	_, err := r.readSettings(ctx, tx)
	if err != nil {
		return err
	}
	if err = r.enter(ctx, tx); err != nil {
		return err
	}
	if r.annotation, err = lockAnnotation(ctx, tx, &r.change, r.AnnotationID); err != nil {
		return err
	}
	r.change.annotations = []*annotation{r.annotation}
	return nil
}

// check looks at who writes, then at what the thread has already.
func (r *replyCall) check(ctx context.Context, tx *pg.Tx) error {
	if r.Verify {
		if err := r.verify(ctx, tx); err != nil {
			return err
		}
	}
	if err := r.checkAgents(ctx, tx); err != nil {
		return err
	}
	return r.checkThread()
}

// checkThread refuses ids in use, and what the thread does not hold any more.
func (r *replyCall) checkThread() error {
	taken, bytes := r.takenIDs(), r.annotation.bytes
	refused := fault.AlreadyExists("", "a commentId is in use in the annotation")
	for _, c := range r.Comments {
		if c.ID != nil && taken[*c.ID] {
			refused.Details.CommentIDs = append(refused.Details.CommentIDs, *c.ID)
		}
		bytes += c.Content.bytes()
	}
	switch {
	case len(refused.Details.CommentIDs) > 0:
		return refused
	case len(r.annotation.comments)+len(r.Comments) > maxComments:
		return fault.FailedPrecondition("", "the thread would have more than 1,000 comments")
	case bytes > maxThread:
		return tooLarge()
	default:
		return nil
	}
}

// takenIDs are the ids of the comments that the thread has.
func (r *replyCall) takenIDs() map[int64]bool {
	taken := map[int64]bool{}
	for _, c := range r.annotation.comments {
		taken[c.id] = true
	}
	return taken
}

// fill completes people from their profiles, and puts the comments at the end of the
// thread. Who wrote in it before is known too where that is to be told.
func (r *replyCall) fill(ctx context.Context, tx *pg.Tx) (err error) {
	a, named := r.annotation, r.tagged()
	for _, earlier := range a.comments {
		named = append(named, earlier.From.UserID)
	}
	authors, _ := r.authors()
	if err = r.change.readPeople(ctx, tx, authors, named); err != nil {
		return err
	}
	taken := r.takenIDs()
	for _, c := range r.Comments {
		if c.ID != nil {
			taken[*c.ID] = true
		}
	}
	a.follow(a.comments...)
	for i := range r.Comments {
		added := newComment(&r.change, &r.Comments[i], taken)
		added.events = []string{envelope.CommentAdd}
		a.add(added)
		a.changed = append(a.changed, added)
	}
	if a.bytes > maxThread {
		return tooLarge()
	}
	a.updatedMs = r.change.now.UnixMilli()
	return nil
}

// store notes what the annotation says of its thread.
func (r *replyCall) store(ctx context.Context, tx *pg.Tx) error {
	a := r.annotation
	_, err := tx.Exec(ctx, `
UPDATE annotations SET updated_ms = $2, comment_count = $3, last_seq = $4, last_author = $5, other_seq = $6, thread_bytes = $7 WHERE key = $1`,
		a.key, a.updatedMs, len(a.comments), a.lastSeq, a.lastAuthor, a.otherSeq, a.bytes)
	return err
}
