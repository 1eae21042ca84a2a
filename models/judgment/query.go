package judgment

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/hashicorp/golang-lru/v2/expirable"
	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/models/internal/list"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/subject"
)

// Judgments reads recorded acts of review.
type Judgments struct {
	db *pg.DB
	// totals remembers counts above largeTotal: they may be totalAge old. rough remembers
	// those above roughTotal for roughAge.
	totals, rough *expirable.LRU[string, int64]
	// stats remembers those of workspaces with more than largeTotal judgments.
	stats *expirable.LRU[string, Stats]
}

// Counts up to largeTotal are exact; larger ones are as old as totalAge at most. For what
// grows with the logarithm of a count, one above roughTotal may be older.
// totalsKept bounds the memory.
const (
	largeTotal = pg.ManyRows
	totalAge   = 30 * time.Second
	roughTotal = 1000
	roughAge   = 10 * time.Minute
	totalsKept = 10_000
)

// New makes the store.
func New(db *pg.DB) *Judgments {
	return &Judgments{
		db: db, totals: expirable.NewLRU[string, int64](totalsKept, nil, totalAge), rough: expirable.NewLRU[string, int64](totalsKept, nil, roughAge),
		stats: expirable.NewLRU[string, Stats](totalsKept, nil, totalAge),
	}
}

// Filter narrows what is read of judgments; empty fields do not. Decision is the stored
// word. The names of its JSON stay: positions in a list are bound to them.
type Filter struct {
	OrganizationID string `json:"organizationId"`
	DocumentID     string `json:"documentId"`
	Decision       string `json:"decision"`
	JudgeType      string `json:"judgeType"`
	ContentType    string `json:"contentType"`
	ReviewerID     string `json:"reviewerId"`
	AnnotationID   string `json:"annotationId"`
	// From and Until are when it was made, both inclusive; nil is no end.
	From  *time.Time `json:"from,omitempty"`
	Until *time.Time `json:"until,omitempty"`
	// RecentDays keeps what was made within so many times 24 hours up to now; 0 is any time.
	RecentDays int `json:"recentDays,omitempty"`
	// WithoutDocuments leaves out what is about documents of these ids.
	WithoutDocuments []string `json:"withoutDocuments,omitempty"`
}

// Position is where a page of judgments ended: epoch milliseconds and
// the record.
type Position struct {
	At       int64  `json:"at"`
	RecordID string `json:"recordId"`
}

// Page is a page of judgments and the number of all matches.
type Page struct {
	list.Page[View, Position]
	Total int64
}

var newest = list.Descending("created_at", "record_id")

// judgmentColumns are read by hand: count and page are one trip. j is the table.
var judgmentColumns = `record_id, reasoning, decision, confidence, judge_type, content_type, user_id, user_name, user_email,
       created_at, ` + subject.ID("j.organization_key") + `, ` + subject.ID("j.document_key") + `, agent`

// Query reads a page of judgments, newest first; those of one annotation are
// shown oldest first, and the next page leads to older ones.
func (s *Judgments) Query(ctx context.Context, workspaceID string, f Filter, after *Position, size int) (*Page, error) {
	var found list.Found[View, Position]
	total := s.total(workspaceID, f)
	about := subject.Filter{OrganizationID: f.OrganizationID, DocumentID: f.DocumentID}
	err := about.Read(ctx, s.db, workspaceID, func(b *pgx.Batch, n subject.Narrow) {
		total.queue(b, f.conditions(workspaceID, n))
		q := f.conditions(workspaceID, n)
		if after != nil {
			newest.After(q, time.UnixMilli(after.At), after.RecordID)
		}
		query := newest.First(q, `SELECT `+judgmentColumns+` FROM judgments j WHERE workspace_id = $1`, size)
		b.Queue(query, q.Args...).Query(found.Collect(scanJudgment))
	})
	if err != nil {
		return nil, err
	}
	if err := s.finish(ctx, workspaceID, total); err != nil {
		return nil, err
	}
	found.Cut(size)
	page := &Page{Page: *found.Page(), Total: total.count}
	if f.AnnotationID != "" {
		slices.Reverse(page.Items)
	}
	return page, nil
}

// counted is how many judgments match a filter. known says that it is remembered, which it
// is, where it is large, among others. Its name is the SHA-256 of workspace and filter, which may
// be long.
type counted struct {
	name  string
	among *expirable.LRU[string, int64]
	count int64
	large int64
	known bool
	// all is which judgments are counted.
	all *pg.Conditions
}

func (s *Judgments) total(workspaceID string, f Filter) *counted {
	return countedOf(s.totals, largeTotal, workspaceID, f)
}

// roughly is total for what may be older, of judgments with one of these decisions.
func (s *Judgments) roughly(workspaceID string, f Filter, decisions []string) *counted {
	return countedOf(s.rough, roughTotal, workspaceID, f, decisions)
}

func countedOf(among *expirable.LRU[string, int64], large int64, workspaceID string, of ...any) *counted {
	asked, _ := json.Marshal([]any{workspaceID, of}) // texts, numbers and times
	name := sha256.Sum256(asked)
	c := &counted{name: string(name[:]), among: among, large: large}
	c.count, c.known = among.Get(c.name)
	return c
}

// queue counts as far as largeTotal and one more, unless the count is known.
func (c *counted) queue(b *pgx.Batch, all *pg.Conditions) {
	if c.known {
		return
	}
	c.all = all
	b.Queue(fmt.Sprintf(`SELECT count(*) FROM (SELECT FROM judgments j WHERE workspace_id = $1%s LIMIT %d) c`, all.Text(), largeTotal+1), all.Args...).
		QueryRow(func(row pgx.Row) error { return row.Scan(&c.count) })
}

// finish counts all of what are more than largeTotal, in the turn of the workspace and with no
// connection held until then, and remembers what is large.
func (s *Judgments) finish(ctx context.Context, workspaceID string, c *counted) error {
	if c.known || c.count <= c.large {
		return nil
	}
	if c.count > largeTotal {
		err := s.db.CountMany(ctx, workspaceID, func() error {
			if count, known := c.among.Get(c.name); known { // by who had the turn before
				c.count = count
				return nil
			}
			return s.db.Pool.QueryRow(ctx, `SELECT count(*) FROM judgments j WHERE workspace_id = $1`+c.all.Text(), c.all.Args...).Scan(&c.count)
		})
		if err != nil {
			return err
		}
	}
	c.among.Add(c.name, c.count)
	return nil
}

// conditions leave out the judgments of what is removed: they go later. The keys of a
// document are of none that is.
func (f Filter) conditions(workspaceID string, about subject.Narrow) *pg.Conditions {
	q := pg.NewConditions(workspaceID)
	if f.DocumentID == "" {
		q.And(shownAmong)
	} else {
		q.And(stayedAmong)
	}
	f.narrow(q, about)
	return q
}

// narrow adds what is asked for.
func (f *Filter) narrow(q *pg.Conditions, about subject.Narrow) {
	about.Keep(q, "j.organization_key", "j.document_key")
	q.Equal("decision", f.Decision)
	q.Equal("judge_type", f.JudgeType)
	q.Equal("content_type", f.ContentType)
	q.Equal("user_id", f.ReviewerID)
	q.Equal("annotation_id", f.AnnotationID)
	f.times(q)
	if len(f.WithoutDocuments) > 0 {
		q.And("(document_key = ANY (ARRAY("+subject.DocumentsOf+"))) IS NOT TRUE", f.WithoutDocuments)
	}
}

// fields are where judgmentColumns go.
func (v *View) fields(at *time.Time) []any {
	return []any{
		&v.RecordID, &v.Reasoning, &v.Decision, &v.Confidence, &v.JudgeType, &v.ContentType, &v.ActionUser.UserID,
		&v.ActionUser.Name, &v.ActionUser.Email, at, &v.OrganizationID, &v.DocumentID, (*[]byte)(&v.Agent),
	}
}

// times narrows by when a judgment was made. Now is that of the transaction, so that
// count and page have the same.
func (f Filter) times(q *pg.Conditions) {
	if f.From != nil {
		q.And("created_at >= %s", *f.From)
	}
	if f.Until != nil {
		q.And("created_at <= %s", *f.Until)
	}
	if f.RecentDays > 0 {
		q.And("created_at BETWEEN now() - %s * interval '24 hours' AND now()", f.RecentDays)
	}
}

func scanJudgment(row pgx.CollectableRow) (View, Position, error) {
	var v View
	var at time.Time
	err := row.Scan(v.fields(&at)...)
	v.CreatedAt = at.UnixMilli()
	return v, Position{At: v.CreatedAt, RecordID: v.RecordID}, err
}
