package notification

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/internal/list"
	"github.com/redline-svc/redline/models/internal/pg"
)

// Filter narrows a list of an organization's notifications; what is empty does not. Of a
// document or of a user, one of which is named, or both. A read for a user finds what they
// may see.
type Filter struct {
	OrganizationID string   `json:"organizationId"`
	DocumentID     string   `json:"documentId"`
	UserID         string   `json:"userId"`
	LocationID     string   `json:"locationId"`
	IDs            []string `json:"ids"`
	Unread         bool     `json:"unread"`
	OldestFirst    bool     `json:"oldestFirst"`
}

// Notified is a user who was told, why, and when they read it.
type Notified struct {
	Recipient
	ReadAt *time.Time
}

// View is a notification as it reads at this moment. Actor is who caused it, null where
// nobody was named; Author wrote the comment. Text is the beginning of the comment. Of one that
// a caller added there is Custom, and no comment.
type View struct {
	ID                       string
	Custom                   *Custom
	Actor, Author            json.RawMessage
	AnnotationID             string
	CommentID                int64
	DocumentID, DocumentName string
	FolderID                 *string
	Text                     string
	At                       time.Time
	Recipients               []Notified

	key                     string
	document, recipientsLen int64
}

// Reason is the first for which any of the recipients was told.
func (v *View) Reason() string {
	for _, reason := range reasons {
		if slices.ContainsFunc(v.Recipients, func(t Notified) bool { return t.Reason == reason }) {
			return reason
		}
	}
	return ReasonAll
}

// aroundNotification is how many bytes stand around the texts of a notification where it is
// written as JSON: a little more than it takes.
const aroundNotification = 1 << 10

// size is a little more than what it takes as it is written.
func (v *View) size() int64 {
	return aroundNotification + shape.WrittenLen(v.Text) + shape.WrittenLen(v.DocumentName) + int64(len(v.Actor)) + v.recipientsLen + v.Custom.size()
}

// Position is where a page of notifications ended: ids rise with time.
type Position struct {
	ID string `json:"i"`
}

// Page is a page of notifications.
type Page = list.Page[*View, Position]

// bodyLength is how much of a comment a notification shows, in characters.
const bodyLength = "500"

// listColumns are what a list reads of a notification n about a comment c; entryColumns are
// what a list for a user reads of their entry r, and one of all how large its entries are.
const (
	listColumns = `n.id, coalesce(n.own_id, n.id), n.custom, n.created_at, n.action_user, c.author, coalesce(a.annotation_id, ''), coalesce(c.comment_id, 0),
       d.key, d.document_id, d.name, f.folder_id, coalesce(left(c.comment_text, ` + bodyLength + `), '')`
	entryColumns = `octet_length(r.user_id) * 2 + 80, r.user_id, r.reason, r.read_at`
	sizeColumns  = `(SELECT coalesce(sum(octet_length(t.user_id) * 2 + 80), 0) FROM notification_recipients t WHERE t.notification_id = n.id),
       NULL::text AS user_id, NULL::text AS reason, NULL::timestamptz`
	listJoins = `LEFT JOIN annotations a ON a.key = n.annotation_key LEFT JOIN comments c ON c.annotation_key = n.annotation_key AND c.seq = n.comment_seq
JOIN documents d ON d.key = n.document_key LEFT JOIN folders f ON f.key = d.folder_key WHERE n.workspace_id = $1`
)

// reading is one read of a page within its snapshot.
type reading struct {
	Filter
	workspaceID  string
	organization int64
	document     *int64
	size         int
}

// List reads a page of notifications, newest first unless it asks for the oldest. What is
// not there is left out.
func (s *Notifications) List(ctx context.Context, workspaceID string, f Filter, after *Position, size int) (page *Page, err error) {
	err = s.db.Read(ctx, func(tx *pg.Tx) error {
		page, err = Read(ctx, tx, workspaceID, f, after, size)
		return err
	})
	return page, err
}

// Read is List in a snapshot that is open.
func Read(ctx context.Context, tx *pg.Tx, workspaceID string, f Filter, after *Position, size int) (*Page, error) {
	r := &reading{Filter: f, workspaceID: workspaceID, size: size}
	err := tx.QueryRow(ctx, `SELECT o.key, d.key FROM organizations o LEFT JOIN documents d ON d.organization_key = o.key AND d.document_id = $3
WHERE o.workspace_id = $1 AND o.organization_id = $2`, workspaceID, f.OrganizationID, f.DocumentID).Scan(&r.organization, &r.document)
	if pg.IsNoRow(err) || err == nil && f.DocumentID != "" && r.document == nil {
		return &Page{Items: []*View{}}, nil
	}
	if err != nil {
		return nil, err
	}
	return r.page(ctx, tx, after)
}

// page reads the page behind a position.
func (r *reading) page(ctx context.Context, tx *pg.Tx, after *Position) (*Page, error) {
	found, stopped, err := r.visible(ctx, tx, after)
	if err != nil {
		return nil, err
	}
	found.Cut(r.size)
	found.CutBytes((*View).size)
	if r.UserID == "" {
		if err := readRecipients(ctx, tx, found.Items); err != nil {
			return nil, err
		}
	}
	page := found.Page()
	if page.Next == nil {
		page.Next = stopped
	}
	return page, nil
}

// mostLooks is how often rows are read for one page at most.
const mostLooks = 50

// visible reads rows until there is one more than the page has. For a user, what is in
// documents that they may not read is passed over, so it may take more than one look. It stops after many of them, and returns where.
func (r *reading) visible(ctx context.Context, tx *pg.Tx, after *Position) (kept *list.Found[*View, Position], stopped *Position, err error) {
	kept = &list.Found[*View, Position]{}
	for looks := 1; ; looks++ {
		some, err := r.look(ctx, tx, after)
		if err != nil {
			return nil, nil, err
		}
		readable, err := r.readable(ctx, tx, some)
		if err != nil {
			return nil, nil, err
		}
		for _, v := range some {
			after = &Position{v.key}
			if r.UserID == "" || slices.Contains(readable, v.document) {
				kept.Add(v, *after)
			}
		}
		switch {
		case len(some) <= r.size || kept.Count > r.size:
			return kept, nil, nil
		case looks == mostLooks:
			return kept, after, nil
		default:
		}
	}
}

// readable are the documents of the rows that the user may read.
func (r *reading) readable(ctx context.Context, tx *pg.Tx, rows []*View) ([]int64, error) {
	if r.UserID == "" {
		return nil, nil
	}
	documents := make([]int64, len(rows))
	for i, v := range rows {
		documents[i] = v.document
	}
	return directory.Readable(ctx, tx, r.organization, pg.Distinct(documents), r.UserID)
}

// look reads rows behind a position, one more than the page has, by an index in their order.
func (r *reading) look(ctx context.Context, tx *pg.Tx, after *Position) (rows []*View, err error) {
	query, order, q := r.statement()
	if after != nil {
		order.After(q, after.ID)
	}
	b := &pgx.Batch{}
	b.Queue(pg.InOrder)
	b.Queue(order.First(q, query, r.size), q.Args...).Query(func(found pgx.Rows) (err error) {
		rows, err = pgx.CollectRows(found, scanView)
		return err
	})
	return rows, tx.SendBatch(ctx, b).Close()
}

// statement is the query of the list, its order and its conditions.
func (r *reading) statement() (query string, order list.Order, q *pg.Conditions) {
	q = pg.NewConditions(r.workspaceID)
	query, order = `SELECT `+listColumns+`, `+sizeColumns+` FROM notifications n `+listJoins, list.Descending("n.id")
	unread := `EXISTS (SELECT FROM notification_recipients t WHERE t.notification_id = n.id AND t.read_at IS NULL)`
	if r.UserID != "" {
		query = `SELECT ` + listColumns + `, ` + entryColumns + ` FROM notification_recipients r JOIN notifications n ON n.id = r.notification_id ` + listJoins
		order, unread = list.Descending("r.notification_id"), `r.read_at IS NULL`
		q.And("r.organization_key = %s", r.organization)
		q.And("r.user_id = %s", r.UserID)
		q.And(seenBy, []string{r.UserID})
	}
	r.narrow(q, unread)
	if r.OldestFirst {
		order = order.Reversed()
	}
	return query, order, q
}

// narrow adds the conditions of the filter; a document is that of the entries of the user, or
// of the notifications.
func (r *reading) narrow(q *pg.Conditions, unread string) {
	switch {
	case r.document == nil:
	case r.UserID != "":
		q.And("r.document_key = %s", *r.document)
	default:
		q.And("n.document_key = %s", *r.document)
	}
	q.Equal(location, r.LocationID)
	if len(r.IDs) > 0 {
		q.And("coalesce(n.own_id, n.id) = ANY(%s)", r.IDs)
	}
	if r.Unread {
		q.Parts = append(q.Parts, unread)
	}
}

func scanView(row pgx.CollectableRow) (*View, error) {
	v := &View{}
	var user, reason *string
	var read *time.Time
	var custom []byte
	err := row.Scan(&v.key, &v.ID, &custom, &v.At, (*[]byte)(&v.Actor), (*[]byte)(&v.Author), &v.AnnotationID, &v.CommentID, &v.document, &v.DocumentID, &v.DocumentName,
		&v.FolderID, &v.Text, &v.recipientsLen, &user, &reason, &read)
	if user != nil && reason != nil {
		v.Recipients = []Notified{{Recipient{UserID: *user, Reason: *reason}, read}}
	}
	if custom != nil && err == nil {
		v.Custom, err = storedCustom(custom)
	}
	return v, err
}

// seenBy is the condition for notifications n that a user, who may read the document, may see:
// those about annotations a that they may see, and those that callers added.
const seenBy = `(n.annotation_key IS NULL OR ` + directory.VisibleTo + `)`

// location is that of the annotation a that a notification n is about, or with which it was made.
const location = `coalesce(a.location_id, n.custom->'location'->>'locationId')`

// readRecipients reads all who were told of notifications.
func readRecipients(ctx context.Context, tx *pg.Tx, views []*View) error {
	byID := make(map[string]*View, len(views))
	ids := make([]string, len(views))
	for i, v := range views {
		ids[i], byID[v.key] = v.key, v
	}
	rows, err := tx.Query(ctx, `SELECT notification_id, user_id, reason, read_at FROM notification_recipients
WHERE notification_id = ANY($1) ORDER BY notification_id, user_id`, ids)
	if err != nil {
		return err
	}
	var id string
	var t Notified
	_, err = pgx.ForEachRow(rows, []any{&id, &t.UserID, &t.Reason, &t.ReadAt}, func() error {
		byID[id].Recipients = append(byID[id].Recipients, t)
		return nil
	})
	return err
}
