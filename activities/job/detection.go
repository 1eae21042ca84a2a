package job

import (
	"context"

	"golang.org/x/sync/semaphore"

	"github.com/redline-svc/redline/internal/pattern"
	"github.com/redline-svc/redline/models/job"
	"github.com/redline-svc/redline/models/knowledge"
	patterns "github.com/redline-svc/redline/models/pattern"
)

// nearRule is the greatest cosine distance at which a rule gives a pattern its category.
const nearRule = 0.40

// Patterns are the rows of patterns (*patterns.Patterns).
type Patterns interface {
	// Next gives what a job has to look through, nil when nothing is left.
	Next(ctx context.Context, j *job.Job) (*patterns.Scope, error)
	Members(ctx context.Context, s *patterns.Scope) ([]pattern.Member, error)
	// Keep stores what was found.
	Keep(ctx context.Context, s *patterns.Scope, found []pattern.Pattern) error
}

// Rules gives the category of the nearest rule of a workspace, "" for none.
type Rules func(ctx context.Context, workspaceID string, q knowledge.NearRule) (category string, err error)

// detection looks for patterns, in one scope at a time.
type detection struct {
	rows  Patterns
	rules Rules

	turn     *semaphore.Weighted
	detector pattern.Detector
}

// Detect makes the handler that looks for the patterns of a workspace. One portion is one
// scope. threshold is the model's for clusters, a cosine distance.
func Detect(rows Patterns, rules Rules, threshold float64) Handler {
	d := &detection{rows: rows, rules: rules, turn: semaphore.NewWeighted(1), detector: pattern.Detector{Threshold: threshold}}
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
// time are in memory.
func (d *detection) find(ctx context.Context, scope *patterns.Scope) (read int, found []pattern.Pattern, err error) {
	if err := d.turn.Acquire(ctx, 1); err != nil {
		return 0, nil, err
	}
	defer d.turn.Release(1)
	members, err := d.rows.Members(ctx, scope)
	if err != nil {
		return 0, nil, err
	}
	found, err = d.detector.Detect(ctx, members, pattern.Scope{
		WorkspaceWide: scope.OrganizationKey == nil,
		NearestRule: func(ctx context.Context, medoid pattern.Member) (string, error) {
			near := knowledge.NearRule{Vector: medoid.Review, Within: nearRule}
			if scope.OrganizationKey != nil {
				near.OrganizationID = medoid.OrganizationID
			}
			return d.rules(ctx, scope.WorkspaceID, near)
		},
	})
	return len(members), found, err
}
