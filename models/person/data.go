package person

import (
	"context"

	"github.com/redline-svc/redline/models/activity"
	"github.com/redline-svc/redline/models/annotation/view"
	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/internal/list"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/notification"
)

// Persons hands out what is kept of people, and forgets them.
type Persons struct {
	db     *pg.DB
	forget []directory.Forget
}

// New makes the store; forget is what goes with people who leave an organization, beside their profiles and grants.
func New(db *pg.DB, forget ...directory.Forget) *Persons { return &Persons{db, forget} }

// Of names a person in an organization.
type Of struct {
	OrganizationID string `json:"organizationId"`
	UserID         string `json:"userId"`
}

// Data is a page of what is kept of a person: of each kind the items of its own page.
type Data struct {
	Comments      []*view.PersonComment
	Notifications []*notification.View
	Activities    []activity.View
	Grants        []directory.PersonGrant
}

// Position is where each kind goes on; nil for one that has ended.
type Position struct {
	Comments      *view.PersonPosition           `json:"c,omitempty"`
	Notifications *notification.Position         `json:"n,omitempty"`
	Activities    *activity.Position             `json:"a,omitempty"`
	Grants        *directory.PersonGrantPosition `json:"g,omitempty"`
}

// hasEnded reports whether no kind goes on.
func (p Position) hasEnded() bool { return p == Position{} }

// Page is a page of all kinds, whose one item has the items of each.
type Page = list.Page[Data, Position]

// Data reads the page behind a position, the first one without any: as many items of each kind as size
// says. Of an unknown person it has none.
func (s *Persons) Data(ctx context.Context, workspaceID string, of Of, after *Position, size int) (*Page, error) {
	page := &Page{Items: []Data{{}}}
	err := s.db.Read(ctx, func(tx *pg.Tx) error {
		organization, err := findOrganization(ctx, tx, workspaceID, of.OrganizationID)
		if err != nil || organization == 0 {
			return err
		}
		r := reader{tx, workspaceID, organization, of, size}
		var next Position
		if err := r.read(ctx, after, &page.Items[0], &next); err != nil || next.hasEnded() {
			return err
		}
		page.Next = &next
		return nil
	})
	return page, err
}

// findOrganization returns the key of an organization; 0 where there is none.
func findOrganization(ctx context.Context, tx *pg.Tx, workspaceID, organizationID string) (key int64, err error) {
	err = tx.QueryRow(ctx, `SELECT key FROM organizations WHERE workspace_id = $1 AND organization_id = $2`, workspaceID, organizationID).Scan(&key)
	if pg.IsNoRow(err) {
		return 0, nil
	}
	return key, err
}

// reader reads the kinds of what is kept of a person in a snapshot.
type reader struct {
	tx           *pg.Tx
	workspaceID  string
	organization int64
	of           Of
	size         int
}

// read reads a page of each kind that goes on at a position.
func (r *reader) read(ctx context.Context, after *Position, d *Data, next *Position) (err error) {
	first := after == nil
	if first {
		after = &Position{}
	}
	if d.Comments, next.Comments, err = goOn(first, after.Comments, func(at *view.PersonPosition) (*view.PersonPage, error) { return r.comments(ctx, at) }); err != nil {
		return err
	}
	if d.Notifications, next.Notifications, err = goOn(first, after.Notifications, func(at *notification.Position) (*notification.Page, error) {
		return r.notifications(ctx, at)
	}); err != nil {
		return err
	}
	if d.Activities, next.Activities, err = goOn(first, after.Activities, func(at *activity.Position) (*activity.Page, error) { return r.activities(ctx, at) }); err != nil {
		return err
	}
	d.Grants, next.Grants, err = goOn(first, after.Grants, func(at *directory.PersonGrantPosition) (*directory.PersonGrantPage, error) { return r.grants(ctx, at) })
	return err
}

// goOn reads a page of one kind, unless it has ended.
func goOn[T, P any](first bool, at *P, read func(*P) (*list.Page[T, P], error)) ([]T, *P, error) {
	if !first && at == nil {
		return nil, nil, nil
	}
	page, err := read(at)
	if err != nil {
		return nil, nil, err
	}
	return page.Items, page.Next, nil
}

func (r *reader) comments(ctx context.Context, at *view.PersonPosition) (*view.PersonPage, error) {
	return view.OfPerson(ctx, r.tx, r.workspaceID, r.organization, r.of.UserID, at, r.size)
}

func (r *reader) notifications(ctx context.Context, at *notification.Position) (*notification.Page, error) {
	return notification.Read(ctx, r.tx, r.workspaceID, notification.Filter{OrganizationID: r.of.OrganizationID, UserID: r.of.UserID}, at, r.size)
}

func (r *reader) activities(ctx context.Context, at *activity.Position) (*activity.Page, error) {
	return activity.Read(ctx, r.tx, r.workspaceID, activity.Filter{OrganizationID: r.of.OrganizationID, Actor: r.of.UserID}, at, r.size)
}

func (r *reader) grants(ctx context.Context, at *directory.PersonGrantPosition) (*directory.PersonGrantPage, error) {
	return directory.GrantsOf(ctx, r.tx, r.organization, r.of.UserID, at, r.size)
}
