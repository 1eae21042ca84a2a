package selection

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/internal/pg"
)

// What one call takes at most: annotations, and beyond the first of them so many comments
// with so many bytes of text and HTML.
const (
	maxAnnotations = 1000
	maxComments    = 10_000
	maxText        = 16 << 20
)

// Selection says which annotations of a document are meant. What is empty does not narrow;
// where all is empty, all are meant.
type Selection struct {
	IDs         []string `json:"ids"`
	Locations   []string `json:"locations"`
	Authors     []string `json:"authors"`
	AgentID     string   `json:"agentId"`
	ExecutionID string   `json:"executionId"`

	// After is the id behind which a call goes on; no part of what is meant.
	After string `json:"-"`
}

// Found are annotations that are held, in the order of their ids. More says that there are
// others behind them.
type Found struct {
	Keys []int64
	IDs  []string
	More bool
	// left are the ids of others that were found and not taken.
	left []string
}

// Entries are those of the annotations, and of named ones that are not there. Where there
// are more than one call takes, what was not looked at has none.
func (f *Found) Entries(named []string) []directory.Entry {
	var entries []directory.Entry
	for _, id := range f.IDs {
		entries = append(entries, directory.Entry{ID: id, ItemID: id})
	}
	for _, id := range named {
		if !slices.Contains(f.IDs, id) && !slices.Contains(f.left, id) {
			entries = append(entries, directory.Entry{ID: id, ItemID: id, Code: directory.CodeNotFound})
		}
	}
	return entries
}

// row is an annotation with what its thread takes.
type row struct {
	key            int64
	id             string
	comments, text int64
}

// How annotations are held: against everybody, or not against who only refers to them.
const (
	toDelete = "FOR UPDATE"
	toUpdate = "FOR NO KEY UPDATE"
)

// Hold finds the annotations of a document and holds them against everybody else until the
// end of the transaction: those with the first ids, held in the order of their keys, as by
// all who hold several.
func (s Selection) Hold(ctx context.Context, tx *pg.Tx, workspaceID string, document int64) (*Found, error) {
	return s.hold(ctx, tx, workspaceID, document, toDelete)
}

// HoldToUpdate is Hold that lets others mark the annotations as read meanwhile.
func (s Selection) HoldToUpdate(ctx context.Context, tx *pg.Tx, workspaceID string, document int64) (*Found, error) {
	return s.hold(ctx, tx, workspaceID, document, toUpdate)
}

func (s Selection) hold(ctx context.Context, tx *pg.Tx, workspaceID string, document int64, lock string) (*Found, error) {
	var all []row
	query, args := s.query(workspaceID, document, lock)
	b := &pgx.Batch{}
	b.Queue(pg.ByKeys)
	b.Queue(query, args...).Query(func(rows pgx.Rows) (err error) {
		all, err = pgx.CollectRows(rows, func(r pgx.CollectableRow) (found row, err error) {
			return found, r.Scan(&found.key, &found.id, &found.comments, &found.text)
		})
		return err
	})
	err := tx.SendBatch(ctx, b).Close()
	slices.SortFunc(all, func(a, b row) int { return strings.Compare(a.id, b.id) })
	return within(all), err
}

// query is the statement that finds and holds them.
func (s Selection) query(workspaceID string, document int64, lock string) (text string, args []any) {
	q := pg.NewConditions(workspaceID)
	q.And("a.document_key = %s", document)
	if len(s.IDs) > 0 {
		q.And("a.annotation_id = ANY(%s)", s.IDs)
	}
	if len(s.Locations) > 0 {
		q.And("a.location_id = ANY(%s)", s.Locations)
	}
	if len(s.Authors) > 0 {
		q.And("a.author_id = ANY(%s)", s.Authors)
	}
	if s.AgentID != "" {
		q.And("a.agent->>'agentId' = %s", s.AgentID)
	}
	if s.ExecutionID != "" {
		q.And("a.agent->>'executionId' = %s", s.ExecutionID)
	}
	if s.After != "" {
		q.And("a.annotation_id > %s", s.After)
	}
	// The conditions are asked again once a row is held: it may be another one by then.
	meant := ` FROM annotations a WHERE a.workspace_id = $1` + q.Text()
	return `SELECT a.key, a.annotation_id, a.comment_count, a.thread_bytes` + meant +
		` AND a.key = ANY (ARRAY(SELECT a.key` + meant + ` ORDER BY a.annotation_id LIMIT ` + strconv.Itoa(maxAnnotations+1) +
		`)) ORDER BY a.key ` + lock, q.Args
}

// within takes as many annotations as one call may.
func within(all []row) *Found {
	f := &Found{}
	var comments, text int64
	for i, r := range all {
		comments, text = comments+r.comments, text+r.text
		if i == maxAnnotations || i > 0 && (comments > maxComments || text > maxText) {
			f.More = true
		}
		if f.More {
			f.left = append(f.left, r.id)
			continue
		}
		f.Keys, f.IDs = append(f.Keys, r.key), append(f.IDs, r.id)
	}
	return f
}
