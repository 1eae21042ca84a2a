package annotation

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
// with so many bytes of all that is stored of both.
const (
	maxSelected         = 1000
	maxSelectedComments = 10_000
	maxSelectedBytes    = 16 << 20
)

// Selection says which annotations of a document are meant. What is empty does not narrow;
// where all is empty, all are meant.
type Selection struct {
	IDs         []string `json:"ids"`
	Locations   []string `json:"locations"`
	Authors     []string `json:"authors"`
	AgentID     string   `json:"agentId"`
	ExecutionID string   `json:"executionId"`
	// AgentURLs are the pages of agents, Suggested means suggestions of agents that are pending.
	AgentURLs []string `json:"agentUrls"`
	Suggested bool     `json:"suggested"`

	// After is the id behind which a call goes on; no part of what is meant.
	After string `json:"-"`
}

// CommentSelection says which comments of an annotation are meant: those that keep to both.
// What is empty does not narrow; where both are empty, all are meant.
type CommentSelection struct {
	// IDs name each comment once.
	IDs     []int64
	Authors []string
}

// ids are those of the comments that are meant, in the order of the thread.
func (s CommentSelection) ids(comments []*comment) []int64 {
	var meant []int64
	for _, c := range comments {
		named := len(s.IDs) == 0 || slices.Contains(s.IDs, c.id)
		if named && (len(s.Authors) == 0 || slices.Contains(s.Authors, c.From.UserID)) {
			meant = append(meant, c.id)
		}
	}
	return meant
}

// entries are those of the comments that are meant, and of named ones that are not among them.
func (s CommentSelection) entries(meant []int64) []directory.Entry {
	if len(s.IDs) > 0 {
		return commentEntries(s.IDs, meant)
	}
	return commentEntries(meant, meant)
}

// selected are annotations that are locked, in the order of their ids. More says that there are
// others behind them.
type selected struct {
	keys []int64
	iDs  []string
	more bool
	// left are the ids of others that were found and not taken.
	left []string
}

// entries are those of the annotations, and of named ones that are not there. Where there
// are more than one call takes, what was not looked at has none.
func (f *selected) entries(named []string) []directory.Entry {
	var entries []directory.Entry
	for _, id := range f.iDs {
		entries = append(entries, directory.Entry{ID: id, ItemID: id})
	}
	for _, id := range named {
		if !slices.Contains(f.iDs, id) && !slices.Contains(f.left, id) {
			entries = append(entries, directory.Entry{ID: id, ItemID: id, Code: directory.CodeNotFound})
		}
	}
	return entries
}

// selectable is an annotation with what its thread takes.
type selectable struct {
	key             int64
	id              string
	comments, bytes int64
}

// How annotations are locked: against everybody, or not against who only refers to them.
const (
	lockToDelete = "FOR UPDATE"
	lockToUpdate = "FOR NO KEY UPDATE"
)

// lock finds the annotations of a document and locks them until the end of the
// transaction: those with the first ids, in the order of their keys, as by all who lock
// several.
func (s Selection) lock(ctx context.Context, tx *pg.Tx, workspaceID string, document int64, mode string) (*selected, error) {
	query, args := s.query(workspaceID, document, mode)
	rows, err := tx.Query(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	all, err := pgx.CollectRows(rows, func(r pgx.CollectableRow) (found selectable, err error) {
		return found, r.Scan(&found.key, &found.id, &found.comments, &found.bytes)
	})
	slices.SortFunc(all, func(a, b selectable) int { return strings.Compare(a.id, b.id) })
	return withinBounds(all), err
}

// query is the statement that finds and locks them.
func (s Selection) query(workspaceID string, document int64, mode string) (text string, args []any) {
	q := pg.NewConditions(workspaceID)
	q.And("a.document_key = %s", document)
	if len(s.IDs) > 0 {
		q.And("a.annotation_id = ANY(%s)", s.IDs)
	}
	oneOf(q, "a.location_id", s.Locations...)
	oneOf(q, "a.author_id", s.Authors...)
	oneOf(q, "a.agent->>'agentId'", s.AgentID)
	oneOf(q, "a.agent->>'executionId'", s.ExecutionID)
	oneOf(q, "a.agent->>'url'", s.AgentURLs...)
	if s.Suggested {
		q.And("a.agent->>'agentType' IS NOT NULL AND a.suggestion->>'status' = '" + SuggestionPending + "'")
	}
	if s.After != "" {
		q.And("a.annotation_id > %s", s.After)
	}
	// The conditions are asked again once a row is locked: it may be another one by then.
	meant := ` FROM annotations a WHERE a.workspace_id = $1` + q.Text()
	return `SELECT a.key, a.annotation_id, a.comment_count, a.thread_bytes` + meant +
		` AND a.key = ANY (ARRAY(SELECT a.key` + meant + ` ORDER BY a.annotation_id LIMIT ` + strconv.Itoa(maxSelected+1) +
		`)) ORDER BY a.key ` + mode, q.Args
}

// oneOf keeps what has one of the values, also as the index of the column has them: what has none of
// them is not looked at. Empty values do not narrow.
func oneOf(q *pg.Conditions, column string, values ...string) {
	if len(values) > 0 && values[0] != "" {
		q.And(column+" = ANY(%[1]s) AND hashtextextended("+column+", 0) = ANY (ARRAY(SELECT hashtextextended(v, 0) FROM unnest(%[1]s::text[]) v))", values)
	}
}

// withinBounds takes as many annotations as one call may.
func withinBounds(all []selectable) *selected {
	f := &selected{}
	var comments, bytes int64
	for i, r := range all {
		comments, bytes = comments+r.comments, bytes+r.bytes
		if i == maxSelected || i > 0 && (comments > maxSelectedComments || bytes > maxSelectedBytes) {
			f.more = true
		}
		if f.more {
			f.left = append(f.left, r.id)
			continue
		}
		f.keys, f.iDs = append(f.keys, r.key), append(f.iDs, r.id)
	}
	return f
}
