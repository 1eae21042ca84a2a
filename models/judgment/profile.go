package judgment

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/subject"
)

// Profile is what the judgments of a person say about them.
type Profile struct {
	// User is as known at the newest judgment.
	User ActionUser
	Tally
	// Flags are the categories of rejections, ContentTypes what was judged, both the
	// most frequent first, and mostOfKind at most.
	Flags, ContentTypes []Frequency
	// Organizations are by their ids, without what belongs to none, and as many at most.
	Organizations map[string]*Tally
	// LastActive is when the newest judgment was made.
	LastActive time.Time
}

// mostOfKind is how many categories, types of content and organizations a profile has: callers choose the words, and there may be
// as many as judgments.
const mostOfKind = 1000

// Tally counts judgments, and the approvals and rejections among them.
type Tally struct{ Judgments, Approvals, Rejections int64 }

// ApprovalRate is the share of approvals among approvals and rejections, 0 to 1; nil
// without either.
func (t *Tally) ApprovalRate() *float64 {
	if t.Approvals+t.Rejections == 0 {
		return nil
	}
	return new(float64(t.Approvals) / float64(t.Approvals+t.Rejections))
}

// Frequency is how often a word stands in judgments.
type Frequency struct {
	Word  string
	Count int64
}

// group are judgments of one person that are counted together: all, or those of one type of content, category or organization.
type group struct {
	Tally

	contentType, category, organizationID *string
}

// Statements of a profile, both of one snapshot: judgments of a person that are shown. groupsOfPerson has the whole first,
// and of each kind the most frequent first, of categories those that are most often rejected.
var (
	ofPerson = `
FROM judgments j WHERE j.workspace_id = $1 AND j.user_id = $2 AND j.judge_type = 'human' AND ` +
		shownAmong
	newestOfPerson = `SELECT j.user_id, j.user_name, j.user_email, j.created_at` + ofPerson + ` ORDER BY j.created_at DESC, j.record_id DESC LIMIT 1`
	groupsOfPerson = `
SELECT g.judgments, g.approvals, g.rejections, g.content_type, g.category, ` + subject.ID("g.organization_key") + `
FROM (SELECT c.*, row_number() OVER (PARTITION BY kind ORDER BY CASE kind WHEN 5 THEN rejections ELSE judgments END DESC,
             content_type COLLATE "C", category COLLATE "C", organization_key) AS place
      FROM (SELECT grouping(j.content_type, j.category, j.organization_key) AS kind, count(*) AS judgments,
                   count(*) FILTER (WHERE j.decision = 'approve') AS approvals, count(*) FILTER (WHERE j.decision = 'reject') AS rejections,
                   j.content_type, j.category, j.organization_key` + ofPerson + `
            GROUP BY GROUPING SETS ((), (j.content_type), (j.category), (j.organization_key))) c
      WHERE kind IN (3, 7) OR kind = 5 AND category IS NOT NULL AND rejections > 0 OR kind = 6 AND organization_key IS NOT NULL) g
WHERE g.place <= $3 ORDER BY g.kind DESC, g.place`
)

// Profile counts the judgments of a person, not those of an agent; nil where there are
// none. SQL by hand: one trip.
func (s *Judgments) Profile(ctx context.Context, workspaceID, userID string) (*Profile, error) {
	p := &Profile{Organizations: map[string]*Tally{}}
	err := s.db.CountMany(ctx, workspaceID, func() error {
		return s.db.ReadBatch(ctx, func(b *pgx.Batch) {
			b.Queue(newestOfPerson, workspaceID, userID).QueryRow(func(row pgx.Row) error {
				err := row.Scan(&p.User.UserID, &p.User.Name, &p.User.Email, &p.LastActive)
				if pg.IsNoRow(err) {
					return nil
				}
				return err
			})
			b.Queue(groupsOfPerson, workspaceID, userID, mostOfKind).Query(func(rows pgx.Rows) error {
				groups, err := pgx.CollectRows(rows, scanGroup)
				for _, g := range groups {
					p.add(g)
				}
				return err
			})
		})
	})
	if err != nil || p.Judgments == 0 {
		return nil, err
	}
	return p, nil
}

func scanGroup(row pgx.CollectableRow) (group, error) {
	var g group
	err := row.Scan(&g.Judgments, &g.Approvals, &g.Rejections, &g.contentType, &g.category, &g.organizationID)
	return g, err
}

// add notes what was counted together.
func (p *Profile) add(g group) {
	switch {
	case g.contentType != nil:
		p.ContentTypes = append(p.ContentTypes, Frequency{*g.contentType, g.Judgments})
	case g.category != nil:
		p.Flags = append(p.Flags, Frequency{*g.category, g.Rejections})
	case g.organizationID != nil:
		p.Organizations[*g.organizationID] = &g.Tally
	case p.Judgments == 0:
		p.Tally = g.Tally
	}
}
