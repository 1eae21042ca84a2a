package annotation

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/person"
	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/internal/pg"
)

// Codes of annotations that an update leaves as they are.
const (
	CodeAlreadyDecided = "already-decided"
	CodeNotASuggestion = "not-a-suggestion"
	CodeTooLarge       = "too-large"
)

// Update is a call that gives annotations of a document new fields.
type Update struct {
	directory.Container
	// APIKeyID is the calling key's; the events of the call name it.
	APIKeyID string
	Which    Selection
	Fields   UpdatedFields
	// Users are put in the place of others, before the fields are set.
	Users []UserChange
	// Actor is who updates, nil where the call names nobody.
	Actor *person.Person
	// Notify asks for the notification of who is assigned, Record for activities.
	Notify, Record bool
}

// Updated is what became of the annotations of a call, in the order of their ids. Next is
// the id behind which there are others, empty where there are none.
type Updated struct {
	Entries []directory.Entry
	Next    string
}

// updateCall is one call of Update within its transaction: it fills the change.
type updateCall struct {
	Update
	change change
	found  *selected
	// refused are the codes of annotations that stay as they are, by their ids.
	refused map[string]string
	// keys are those of the others.
	keys    []int64
	renames renames
}

// Update changes annotations, as many as one call may. One that is the same afterwards is
// left alone. Errors: FAILED_PRECONDITION (private-comments-disabled, access-disabled); NOT_FOUND of
// organization, document.
func (s *Annotations) Update(ctx context.Context, workspaceID string, update Update) (*Updated, error) {
	u := &updateCall{
		Update: update, refused: map[string]string{},
		change: change{workspaceID: workspaceID, apiKeyID: update.APIKeyID, container: update.Container},
	}
	err := s.db.InTx(ctx, func(tx *pg.Tx) error {
		for _, step := range []func(context.Context, *pg.Tx) error{u.open, u.read, u.apply, u.store} {
			if err := step(ctx, tx); err != nil {
				return err
			}
		}
		if len(u.change.annotations) == 0 {
			return nil
		}
		return storeEffects(ctx, tx, &u.change)
	})
	if err != nil {
		return nil, err
	}
	return u.updated(), nil
}

// updated is the answer. A named annotation that is not there is told of by the call that
// comes past its id.
func (u *updateCall) updated() *Updated {
	all, after := &Updated{}, u.Which.After
	if u.found.more {
		all.Next = u.found.iDs[len(u.found.iDs)-1]
	}
	for _, e := range u.found.entries(u.Which.IDs) {
		if e.ID <= after || all.Next != "" && e.ID > all.Next {
			continue
		}
		e.Code = cmp.Or(e.Code, u.refused[e.ID])
		all.Entries = append(all.Entries, e)
	}
	slices.SortFunc(all.Entries, func(a, b directory.Entry) int { return strings.Compare(a.ID, b.ID) })
	return all
}

// open looks at the settings and holds the document.
func (u *updateCall) open(ctx context.Context, tx *pg.Tx) error {
	if v := u.Fields.Visibility; v != nil && v.Type != directory.VisiblePublic {
		allowed := false
		if err := tx.QueryRow(ctx, `SELECT private_comments FROM workspaces WHERE id = $1`, u.change.workspaceID).Scan(&allowed); err != nil {
			return err
		}
		if !allowed {
			return privateDisabled()
		}
	}
	return u.change.enter(ctx, tx)
}

func privateDisabled() error {
	return fault.FailedPrecondition("private-comments-disabled", "the workspace allows public annotations only")
}

// read holds the annotations and reads them with their threads, and the people.
func (u *updateCall) read(ctx context.Context, tx *pg.Tx) (err error) {
	if u.found, err = u.Which.lock(ctx, tx, u.change.workspaceID, *u.change.scope.Document, lockToUpdate); err != nil || len(u.found.keys) == 0 {
		return err
	}
	if err = readLocked(ctx, tx, &u.change, u.found.keys); err != nil {
		return err
	}
	return u.change.readPeople(ctx, tx, u.people(), nil)
}

// people are the users whom the call names, and where it does not say who makes it, the
// authors, who count as having made it.
func (u *updateCall) people() []string {
	users := slices.Concat(userOf(u.actor()), userOf(u.Fields.From), userOf(u.Fields.Assigned))
	for _, rename := range u.Users {
		users = append(users, rename.New.UserID)
	}
	if u.actor() == nil {
		for _, a := range u.change.annotations {
			users = append(users, a.author)
		}
	}
	return users
}

// actor is who makes the update: as sent, else whom it names for the status.
func (u *updateCall) actor() *person.Person {
	if u.Actor != nil {
		return u.Actor
	}
	if userID := cmp.Or(pg.Present(u.Fields.ResolvedBy), pg.Present(u.Fields.StatusUpdatedBy)); userID != "" {
		return &person.Person{UserID: userID}
	}
	return nil
}

// apply gives the annotations their new fields, and keeps those in the change that are
// others by that.
func (u *updateCall) apply(context.Context, *pg.Tx) error {
	u.renames = renamesOf(&u.change, u.Users)
	var changed []*annotation
	for _, stored := range u.change.annotations {
		if code := u.Fields.refused(stored); code != "" {
			u.refused[stored.id] = code
			continue
		}
		a := *stored
		u.renames.apply(&a)
		u.Fields.apply(&u.change, &a, u.Actor)
		if a.resize(stored); a.bytes > max(maxThread, stored.bytes) {
			u.refused[stored.id] = CodeTooLarge
			continue
		}
		u.keys = append(u.keys, stored.key)
		if a.markChanged(stored, u.change.now, u.Fields.UpdatedMs) {
			a.actor, a.notify, a.record = u.change.filled(u.actor()), u.Notify, u.Record
			changed = append(changed, &a)
		}
	}
	u.change.annotations = changed
	return nil
}

// updateAnnotation leaves what an update cannot change: the id, the type, the agent.
const updateAnnotation = `
UPDATE annotations SET author_id = $2, author = $3, status_id = $4, status = $5, visibility = $6, visible_to_org = $7, visible_to = $8,
       location_id = $9, location = $10, target = $11, context = $12, priority = $13, assigned = $14, suggestion = $15,
       resolved_by = $16, status_updated_by = $17, created_ms = $18, updated_ms = $19, last_author = $20, other_seq = $21,
       thread_bytes = $22, kept = $23 WHERE key = $1`

// store stores the annotations, and what others than before wrote and read.
func (u *updateCall) store(ctx context.Context, tx *pg.Tx) error {
	b := &pgx.Batch{}
	for _, a := range u.change.annotations {
		a.follow(a.comments...)
		toOrganization, to := a.storedVisibility()
		b.Queue(updateAnnotation, a.key, a.author, string(a.from), a.statusID, string(a.status), a.visibility.Type, toOrganization, to,
			pg.Optional(a.locationID), pg.JSONOrNil(a.location), pg.JSONOrNil(a.target), pg.JSONOrNil(a.context), pg.JSONOrNil(a.priority),
			pg.JSONOrNil(a.storedAssignee()), pg.JSONOrNil(a.suggestion), pg.Optional(a.resolvedBy), pg.Optional(a.statusUpdatedBy),
			a.createdMs, a.updatedMs, a.lastAuthor, a.otherSeq, a.bytes, pg.JSONOrNil(a.kept))
	}
	u.renames.queue(b, u.change.annotations)
	if err := tx.SendBatch(ctx, b).Close(); err != nil {
		return err
	}
	return u.renames.moveMarks(ctx, tx, &u.change, u.keys)
}
