package activity

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/internal/list"
	"github.com/redline-svc/redline/models/internal/pg"
)

// View is an activity as read. DocumentID and FolderID are where its document is now, nil
// for none; TargetID and TargetSub are nil where it is about nothing. Raw parts are nil
// when absent.
type View struct {
	ID, FeatureType, ActionType               string
	ActionUser                                json.RawMessage
	TargetID, TargetSub, DocumentID, FolderID *string
	Parts
	Message   string
	Immutable bool
	At        time.Time
}

// Position is where a page of activities ended.
type Position = list.Position

// Page is a page of activities.
type Page = list.Page[View, Position]

// Get reads activities of an organization that are there; of what is not known an empty
// page. What is about no document is judged as what is in the organization.
func (s *Activities) Get(ctx context.Context, workspaceID string, f Filter, after *Position, size int) (page *Page, err error) {
	err = s.db.Read(ctx, func(tx *pg.Tx) error {
		page, err = Read(ctx, tx, workspaceID, f, after, size)
		return err
	})
	return page, err
}

// Read is Get in a snapshot that is open.
func Read(ctx context.Context, tx *pg.Tx, workspaceID string, f Filter, after *Position, size int) (*Page, error) {
	empty := &Page{Items: []View{}}
	at, found, err := f.find(ctx, tx, workspaceID)
	if err != nil || !found {
		return empty, err
	}
	r := &reading{Filter: f, workspaceID: workspaceID, at: at, after: after, size: size}
	if f.Viewer != "" {
		if err := r.narrow(ctx, tx); err != nil || len(r.readable) == 0 {
			empty.Next = r.stopped
			return empty, err
		}
	}
	page, err := r.page(ctx, tx)
	if err == nil && page.Next == nil {
		page.Next = r.stopped
	}
	return page, err
}

// scope is where records are looked for: their organization and, unless it is 0, document.
type scope struct{ organization, document int64 }

// find finds where the filter looks; not where the organization or the document is not
// there.
func (f *Filter) find(ctx context.Context, tx *pg.Tx, workspaceID string) (at scope, found bool, err error) {
	err = tx.QueryRow(ctx, `
SELECT o.key, coalesce(d.key, 0) FROM organizations o LEFT JOIN documents d ON d.organization_key = o.key AND d.document_id = $3
WHERE o.workspace_id = $1 AND o.organization_id = $2`, workspaceID, f.OrganizationID, pg.Optional(f.DocumentID)).Scan(&at.organization, &at.document)
	if pg.IsNoRow(err) {
		return at, false, nil
	}
	return at, err == nil && (f.DocumentID == "" || at.document != 0), err
}

// reading is one read of a page.
type reading struct {
	Filter
	workspaceID string
	at          scope
	after       *Position
	size        int
	// readable are, for a viewer, the ids of the records that the page may have, with one
	// that only says that another page follows.
	readable []string
	// stopped is where the look for these has ended before the page was full, nil where it has not.
	stopped *Position
}

// found is a record by where it stands and the document that decides whether a viewer
// may read it, 0 for none.
type found struct {
	id       string
	at       time.Time
	document int64
}

// lookedAt is how many records a read for a viewer looks at least at once: the viewer may
// see none of some documents. mostLooks is how many looks one page takes at most.
const lookedAt, mostLooks = 200, 25

// narrow finds the records of the page that the viewer may see. Where so many looks have not filled the page, it ends there and goes on.
func (r *reading) narrow(ctx context.Context, tx *pg.Tx) error {
	reads, atOnce := map[int64]bool{}, max(lookedAt, r.size)
	after := r.after
	for looks := 1; len(r.readable) <= r.size; looks++ {
		query, args := r.search(after, atOnce)
		some, err := collectOrdered(ctx, tx, r.walks(), query, args, func(row pgx.CollectableRow) (one found, err error) {
			return one, row.Scan(&one.id, &one.at, &one.document)
		})
		if err != nil {
			return err
		}
		if err := r.decide(ctx, tx, some, reads); err != nil {
			return err
		}
		for _, one := range some {
			if reads[one.document] {
				r.readable = append(r.readable, one.id)
			}
		}
		if len(some) <= atOnce {
			break
		}
		after = new(list.PositionOf(some[len(some)-1].at, some[len(some)-1].id))
		if looks == mostLooks && len(r.readable) <= r.size {
			r.stopped = after
			break
		}
	}
	r.readable = r.readable[:min(len(r.readable), r.size+1)]
	return nil
}

// decide notes of each document of records whether the viewer may read it.
func (r *reading) decide(ctx context.Context, tx *pg.Tx, some []found, reads map[int64]bool) error {
	var documents []int64
	for _, one := range some {
		if _, known := reads[one.document]; !known && !slices.Contains(documents, one.document) {
			documents = append(documents, one.document)
		}
	}
	if len(documents) == 0 {
		return nil
	}
	viewer := []string{r.Viewer}
	access, err := directory.ReadAccess(ctx, tx, r.at.organization, documents, viewer)
	if err != nil {
		return err
	}
	for _, key := range documents {
		reads[key] = access.Decide(key, r.Viewer).Read
	}
	if slices.Contains(documents, 0) {
		access, err = directory.ReadOrganizationAccess(ctx, tx, r.at.organization, viewer)
		if err == nil {
			reads[0] = access.Decide(r.at.organization, r.Viewer).Read
		}
	}
	return err
}

// page reads the records.
func (r *reading) page(ctx context.Context, tx *pg.Tx) (*Page, error) {
	query, args := r.query()
	var rows list.Found[View, Position]
	_, err := collectOrdered(ctx, tx, r.walks() && r.readable == nil, query, args, func(row pgx.CollectableRow) (struct{}, error) {
		var v View
		err := row.Scan(&v.ID, &v.FeatureType, &v.ActionType, (*[]byte)(&v.ActionUser), &v.TargetID, &v.TargetSub, (*[]byte)(&v.Changes),
			(*[]byte)(&v.EntityData), (*[]byte)(&v.EntityTarget), &v.Immutable, &v.Template, (*[]byte)(&v.TemplateData), &v.Message, &v.Icon, &v.At, &v.DocumentID, &v.FolderID,
			&rows.Count, nil, nil)
		rows.Add(v, list.PositionOf(v.At, v.ID))
		return struct{}{}, err
	})
	if err != nil {
		return nil, err
	}
	return rows.Page(), nil
}

// collectOrdered reads rows and, where they are walked, by an index that has their order.
func collectOrdered[T any](ctx context.Context, tx *pg.Tx, walked bool, query string, args []any,
	scan func(row pgx.CollectableRow) (T, error),
) (all []T, err error) {
	b := &pgx.Batch{}
	if walked {
		b.Queue(pg.InOrder)
	}
	b.Queue(query, args...).Query(func(rows pgx.Rows) (err error) {
		all, err = pgx.CollectRows(rows, scan)
		return err
	})
	return all, tx.SendBatch(ctx, b).Close()
}
