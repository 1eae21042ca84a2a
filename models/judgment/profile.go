package judgment

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/judgment"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/subject"
)

// Profile is what the judgments of a person say about them.
type Profile struct {
	// User is as known at the newest judgment.
	User ActionUser
	Tally
	// Flags are the categories of rejections, ContentTypes what was judged, both the
	// most frequent first.
	Flags, ContentTypes []Frequency
	// Organizations are by their ids, without what belongs to none.
	Organizations map[string]*Tally
	// LastActive is when the newest judgment was made.
	LastActive time.Time
}

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

// group are judgments of one person that are counted together.
type group struct {
	organizationID *string
	decision       string
	contentType    string
	category       *string
	count          int64
}

// Statements of a profile, both of one snapshot: judgments of a person that are shown.
var (
	ofPerson = `
FROM judgments j WHERE j.workspace_id = $1 AND j.user_id = $2 AND j.judge_type = 'human' AND ` +
		shownAmong
	newestOfPerson = `SELECT j.user_id, j.user_name, j.user_email, j.created_at` + ofPerson + ` ORDER BY j.created_at DESC, j.record_id DESC LIMIT 1`
	groupsOfPerson = `
SELECT ` + subject.ID("g.organization_key") + `, g.decision, g.content_type, g.category, g.count
FROM (SELECT j.organization_key, j.decision, j.content_type, j.category, count(*) AS count` + ofPerson + ` GROUP BY 1, 2, 3, 4) g`
)

// Profile counts the judgments of a person, not those of an agent; nil where there are
// none. SQL by hand: one trip.
func (s *Judgments) Profile(ctx context.Context, workspaceID, userID string) (*Profile, error) {
	p := &Profile{}
	var groups []group
	err := s.db.ReadBatch(ctx, func(b *pgx.Batch) {
		b.Queue(newestOfPerson, workspaceID, userID).QueryRow(func(row pgx.Row) error {
			err := row.Scan(&p.User.UserID, &p.User.Name, &p.User.Email, &p.LastActive)
			if pg.IsNoRow(err) {
				return nil
			}
			return err
		})
		b.Queue(groupsOfPerson, workspaceID, userID).Query(func(rows pgx.Rows) (err error) {
			groups, err = pgx.CollectRows(rows, scanGroup)
			return err
		})
	})
	if err != nil || len(groups) == 0 {
		return nil, err
	}
	p.count(groups)
	return p, nil
}

func scanGroup(row pgx.CollectableRow) (group, error) {
	var g group
	err := row.Scan(&g.organizationID, &g.decision, &g.contentType, &g.category, &g.count)
	return g, err
}

// count fills the figures of a profile.
func (p *Profile) count(groups []group) {
	flags, types := map[string]int64{}, map[string]int64{}
	p.Organizations = map[string]*Tally{}
	for _, g := range groups {
		p.add(g)
		types[g.contentType] += g.count
		if g.decision == judgment.Reject && g.category != nil {
			flags[*g.category] += g.count
		}
		if g.organizationID == nil {
			continue
		}
		of := p.Organizations[*g.organizationID]
		if of == nil {
			of = &Tally{}
			p.Organizations[*g.organizationID] = of
		}
		of.add(g)
	}
	p.Flags, p.ContentTypes = byFrequency(flags), byFrequency(types)
}

func (t *Tally) add(g group) {
	t.Judgments += g.count
	switch g.decision {
	case judgment.Approve:
		t.Approvals += g.count
	case judgment.Reject:
		t.Rejections += g.count
	default:
	}
}

// byFrequency sorts words, the most frequent first; of equally frequent ones the order
// is that of the words.
func byFrequency(counts map[string]int64) []Frequency {
	all := make([]Frequency, 0, len(counts))
	for _, word := range slices.Sorted(maps.Keys(counts)) {
		all = append(all, Frequency{word, counts[word]})
	}
	slices.SortStableFunc(all, func(a, b Frequency) int { return cmp.Compare(b.Count, a.Count) })
	return all
}
