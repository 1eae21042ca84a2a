package job

import (
	"context"
	"strings"

	"github.com/redline-svc/redline/internal/embed"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/pattern"
	"github.com/redline-svc/redline/internal/slots"
	"github.com/redline-svc/redline/models/job"
	patterns "github.com/redline-svc/redline/models/pattern"
	"github.com/redline-svc/redline/models/search"
)

// nearRule is the greatest cosine distance at which a rule gives a pattern its category.
const nearRule = 0.40

// Patterns are the rows of patterns (*patterns.Patterns).
type Patterns interface {
	// Next returns what a job has to look through, nil when nothing is left.
	Next(ctx context.Context, j *job.Job) (*patterns.Scope, error)
	Members(ctx context.Context, s *patterns.Scope) ([]pattern.Member, error)
	// Category is that of the pattern in which a judgment was found before, "" for none.
	Category(ctx context.Context, s *patterns.Scope, recordID string) (string, error)
	// Keep stores what was found.
	Keep(ctx context.Context, s *patterns.Scope, found []pattern.Pattern) error
}

// Rules returns the category of the rule of a workspace that is nearest to a text, "" for
// none; the vector of the question is its own.
type Rules func(ctx context.Context, workspaceID, text string, q search.NearRule) (category string, err error)

// Serving returns the model of the vectors that the index serves at this moment.
type Serving func(ctx context.Context) (embed.Identity, error)

// detection looks for patterns, in one scope at a time.
type detection struct {
	rows    Patterns
	rules   Rules
	serving Serving

	turn     *slots.Slots
	detector pattern.Detector
}

// Detect makes the handler that looks for the patterns of a workspace. One portion is one
// scope.
func Detect(rows Patterns, rules Rules, serving Serving) Handler {
	d := &detection{rows: rows, rules: rules, serving: serving, turn: slots.New(1)}
	return d.portion
}

func (d *detection) portion(ctx context.Context, j *job.Job) (rows int64, more bool, err error) {
	scope, err := d.rows.Next(ctx, j)
	if err != nil || scope == nil {
		return 0, false, err
	}
	read, found, err := d.find(ctx, scope)
	if err != nil {
		return 0, false, err
	}
	return int64(read), true, d.rows.Keep(ctx, scope, found)
}

// find looks through a scope when it is its turn, so that the judgments of one scope at a
// time are in memory. The model is asked for after they are read: where another one serves
// by then, what is found counts as found by the former one and is looked for again.
func (d *detection) find(ctx context.Context, scope *patterns.Scope) (read int, found []pattern.Pattern, err error) {
	if err := d.turn.Acquire(ctx, scope.WorkspaceID, 1); err != nil {
		return 0, nil, err
	}
	defer d.turn.Release(scope.WorkspaceID, 1)
	members, err := d.rows.Members(ctx, scope)
	if err != nil {
		return 0, nil, err
	}
	model, err := d.serving(ctx)
	if err != nil {
		return 0, nil, err
	}
	d.detector.Threshold = model.Thresholds().Cluster
	found, err = d.detector.Detect(ctx, members, pattern.Scope{
		WorkspaceWide: scope.OrganizationKey == nil,
		Alert:         func(a pattern.Alert) { scope.Alerts = append(scope.Alerts, a) }, Now: scope.Now,
		NearestRule: func(ctx context.Context, medoid pattern.Member) (string, error) {
			return d.category(ctx, scope, medoid)
		},
	})
	return len(members), found, err
}

// category is that of the rule nearest to a reasoning, "" without one. While the model or the
// index is away it is the one that the pattern had, so that those that rest on nothing any
// more go all the same.
func (d *detection) category(ctx context.Context, scope *patterns.Scope, medoid pattern.Member) (string, error) {
	if strings.TrimSpace(medoid.Reasoning) == "" {
		return "", nil
	}
	near := search.NearRule{Within: nearRule}
	if scope.OrganizationKey != nil {
		near.OrganizationID = medoid.OrganizationID
	}
	category, err := d.rules(ctx, scope.WorkspaceID, medoid.Reasoning, near)
	if fault.Is(err, fault.StatusUnavailable) {
		scope.Again = true
		return d.rows.Category(ctx, scope, medoid.RecordID)
	}
	return category, err
}
