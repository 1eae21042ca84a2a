package view

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/models/internal/list"
	"github.com/redline-svc/redline/models/internal/pg"
)

// Search narrows a read of the annotations of an organization; what is empty does not.
// Authors are those of the annotations, Mentioned whom comments of them tag, FolderID also
// means what is below that folder. Times are epoch milliseconds, and not themselves among
// what is found. A viewer finds only what they may see, in documents that they may read.
// With IDs there is one slot for each distinct one.
type Search struct {
	OrganizationID string   `json:"organizationId"`
	DocumentIDs    []string `json:"documentIds"`
	FolderID       string   `json:"folderId"`
	LocationIDs    []string `json:"locationIds"`
	IDs            []string `json:"ids"`
	Authors        []string `json:"authors"`
	Mentioned      []string `json:"mentioned"`
	StatusIDs      []string `json:"statusIds"`
	ResolvedBy     string   `json:"resolvedBy"`
	Kind           string   `json:"kind"`
	UpdatedAfter   *int64   `json:"updatedAfter"`
	UpdatedBefore  *int64   `json:"updatedBefore"`
	CreatedAfter   *int64   `json:"createdAfter"`
	CreatedBefore  *int64   `json:"createdBefore"`
	Viewer         string   `json:"viewer"`
	AgentID        string   `json:"agentId"`
	ExecutionID    string   `json:"executionId"`
	AgentTypes     []string `json:"agentTypes"`
	// Suggested asks for suggestions of agents about which nothing is decided.
	Suggested bool `json:"suggested"`
	// Oldest asks for the earliest changes first.
	Oldest bool `json:"oldest"`
}

// Find reads whole annotations of the documents of an organization, latest change first
// unless the earliest are asked for. Of what is not there, or not to be seen, there is an
// empty page, or there are empty slots. Where there are many documents one search of the workspace is made after the other.
func (v *Views) Find(ctx context.Context, workspaceID string, s Search, after *Position, size int) (*Page, error) {
	p := list.NewPager(s.IDs, after, size)
	page, many, err := v.find(ctx, workspaceID, s, p, &v.many)
	if many {
		err = v.db.CountMany(ctx, workspaceID, func() error {
			page, _, err = v.find(ctx, workspaceID, s, p, nil)
			return err
		})
	}
	return page, err
}

// find reads a page, unless there are more than so many documents to look at: nil is no limit.
func (v *Views) find(ctx context.Context, workspaceID string, s Search, p list.Pager[string, Change], most *int64) (page *Page, many bool, err error) {
	page = &Page{}
	err = v.db.Read(ctx, func(tx *pg.Tx) error {
		var documents []int64
		if documents, many, err = findDocuments(ctx, tx, workspaceID, s, most); err != nil || many {
			return err
		}
		rows, err := s.find(ctx, tx, workspaceID, documents, p)
		if err != nil {
			return err
		}
		rows = inOrderOf(s.IDs, rows)
		if err := readWhole(ctx, tx, workspaceID, s.OrganizationID, rows); err != nil {
			return err
		}
		cut := list.CutPage(p, rows)
		page.Items, page.Next = viewsOf(cut.Items), cut.Next
		return nil
	})
	return page, many, err
}

// find finds the annotations of a page in documents. Of more documents than the page can
// show, only those are looked at further in which it begins.
func (s *Search) find(ctx context.Context, tx *pg.Tx, workspaceID string, documents []int64, p list.Pager[string, Change]) ([]*storedAnnotation, error) {
	if len(documents) == 0 {
		return nil, nil
	}
	if len(s.IDs) > 0 {
		return rowsOf(s.slots(workspaceID, documents, p).read(ctx, tx))
	}
	each := p.Size + 1
	if len(documents) > each {
		firsts, err := s.walk(workspaceID, documents, 1, p).read(ctx, tx)
		if err != nil {
			return nil, err
		}
		documents = documents[:0]
		for _, first := range firsts {
			documents = append(documents, first.document)
		}
	}
	return rowsOf(s.walk(workspaceID, documents, each, p).read(ctx, tx))
}

// rowsOf are annotations of which only their places are known.
func rowsOf(found []foundAnnotation, err error) ([]*storedAnnotation, error) {
	rows := make([]*storedAnnotation, len(found))
	for i := range found {
		rows[i] = &found[i].storedAnnotation
	}
	return rows, err
}

// foundAnnotation is where an annotation stands, with the key of its document.
type foundAnnotation struct {
	storedAnnotation
	document int64
}

// statement is a query with its values.
type statement struct {
	text string
	args []any
}

// read reads where annotations stand. They are read in order from their indexes: only what
// several of these gave is sorted, which is no more than a page from each.
func (s statement) read(ctx context.Context, tx *pg.Tx) (found []foundAnnotation, err error) {
	b := &pgx.Batch{}
	b.Queue(byIndex)
	b.Queue(s.text, s.args...).Query(func(rows pgx.Rows) (err error) {
		found, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (f foundAnnotation, err error) {
			return f, row.Scan(&f.document, &f.key, &f.updatedMs, &f.AnnotationID)
		})
		return err
	})
	return found, tx.SendBatch(ctx, b).Close()
}

// byIndex is pg.InOrder that also keeps Postgres from reading all that an index finds, where
// it takes that for little.
const byIndex = pg.InOrder + `, set_config('enable_bitmapscan', 'off', true)`
