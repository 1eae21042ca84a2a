package models

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/hashicorp/golang-lru/v2/expirable"
	"github.com/jackc/pgx/v5"
)

// Judgments reads recorded acts of review.
type Judgments struct {
	db *DB
	// totals remembers counts above largeTotal: they may be totalAge old.
	totals *expirable.LRU[string, int64]
}

// Counts up to largeTotal are exact; larger ones are as old as totalAge at most.
// totalsKept bounds the memory.
const (
	largeTotal = 100_000
	totalAge   = 30 * time.Second
	totalsKept = 10_000
)

// NewJudgments makes the store.
func NewJudgments(db *DB) *Judgments {
	return &Judgments{db: db, totals: expirable.NewLRU[string, int64](totalsKept, nil, totalAge)}
}

// JudgmentFilter narrows a list of judgments; empty fields do not. Decision is
// the stored word.
type JudgmentFilter struct {
	OrganizationID string `json:"organizationId"`
	DocumentID     string `json:"documentId"`
	Decision       string `json:"decision"`
	JudgeType      string `json:"judgeType"`
	ContentType    string `json:"contentType"`
	ReviewerID     string `json:"reviewerId"`
	AnnotationID   string `json:"annotationId"`
}

// JudgmentPosition is where a page of judgments ended: epoch milliseconds and
// the record.
type JudgmentPosition struct {
	At       int64  `json:"at"`
	RecordID string `json:"recordId"`
}

// JudgmentPage is one page, the number of all matches, and where the next page
// begins; nil on the last one.
type JudgmentPage struct {
	Items []JudgmentView
	Total int64
	Next  *JudgmentPosition
}

const judgmentColumns = `record_id, reasoning, decision, confidence, judge_type, content_type, user_id, user_name, user_email,
       created_at, organization_id, document_id, agent`

// Query reads a page of judgments, newest first; those of one annotation are
// shown oldest first, and the next page leads to older ones.
func (s *Judgments) Query(ctx context.Context, workspaceID string, f JudgmentFilter, after *JudgmentPosition, size int) (*JudgmentPage, error) {
	page := &JudgmentPage{Items: []JudgmentView{}}
	asked, err := json.Marshal(f)
	if err != nil {
		return nil, Translate(err)
	}
	known := workspaceID + "/" + string(asked)
	total, remembered := s.totals.Get(known)
	err = s.db.Snapshot(ctx, func(b *pgx.Batch) {
		if all := f.conditions(workspaceID); !remembered {
			b.Queue(`SELECT count(*) FROM judgments WHERE workspace_id = $1`+all.text(), all.args...).
				QueryRow(func(row pgx.Row) error { return row.Scan(&total) })
		}
		q := f.conditions(workspaceID)
		if after != nil {
			q.and("(created_at, record_id) < (%s, %s)", time.UnixMilli(after.At), after.RecordID)
		}
		b.Queue(`SELECT `+judgmentColumns+` FROM judgments WHERE workspace_id = $1`+q.text()+
			` ORDER BY created_at DESC, record_id DESC LIMIT `+q.value(size+1), q.args...).Query(page.scan)
	})
	if err != nil {
		return nil, err
	}
	if page.Total = total; total > largeTotal && !remembered {
		s.totals.Add(known, total)
	}
	page.finish(size, f.AnnotationID != "")
	return page, nil
}

func (f JudgmentFilter) conditions(workspaceID string) *conditions {
	q := newConditions(workspaceID)
	q.equal("organization_id", f.OrganizationID)
	q.equal("document_id", f.DocumentID)
	q.equal("decision", f.Decision)
	q.equal("judge_type", f.JudgeType)
	q.equal("content_type", f.ContentType)
	q.equal("user_id", f.ReviewerID)
	q.equal("annotation_id", f.AnnotationID)
	return q
}

func (p *JudgmentPage) scan(rows pgx.Rows) error {
	for rows.Next() {
		var v JudgmentView
		var at time.Time
		var agent []byte
		if err := rows.Scan(&v.RecordID, &v.Reasoning, &v.Decision, &v.Confidence, &v.JudgeType, &v.ContentType, &v.ActionUser.UserID,
			&v.ActionUser.Name, &v.ActionUser.Email, &at, &v.OrganizationID, &v.DocumentID, &agent); err != nil {
			return err
		}
		v.CreatedAt, v.Agent = at.UnixMilli(), agent
		p.Items = append(p.Items, v)
	}
	return rows.Err()
}

// finish cuts the row that only told of a next page.
func (p *JudgmentPage) finish(size int, oldestFirst bool) {
	if len(p.Items) > size {
		p.Items = p.Items[:size]
		last := p.Items[size-1]
		p.Next = &JudgmentPosition{At: last.CreatedAt, RecordID: last.RecordID}
	}
	if oldestFirst {
		slices.Reverse(p.Items)
	}
}
