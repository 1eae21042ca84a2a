package pattern

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// MaxMembers is how many judgments one run takes. Memory grows by their square: at
// this number the distances take 18 MB.
const MaxMembers = 3000

// DefaultThreshold is the mean cosine distance up to which clusters are joined, for
// models of which nothing else is known.
const DefaultThreshold = 0.45

// A Member is a judgment that may be part of a pattern.
type Member struct {
	// RecordID is unique within a run.
	RecordID, ReviewerID string
	// OrganizationID, DocumentID and ThreadID say what it is about; each may be empty.
	OrganizationID, DocumentID, ThreadID string
	// Approves is false for a rejection. Other decisions are no members.
	Approves  bool
	CreatedAt time.Time
	// Reasoning, Category and IssueType, which an agent gave, may be empty.
	Reasoning, Category, IssueType string
	// Review and Content are unit vectors. All of a kind have one length; Content is
	// nil where there is no content.
	Review, Content []float32
}

// A Pattern is a cluster of judgments that mostly say the same.
type Pattern struct {
	// Approve is the decision of the agreeing votes.
	Approve bool
	// Members are the record ids of the whole cluster in ascending order, also of
	// those whose vote a newer one took.
	Members []string
	// Votes counts both sides, Agreeing those of the decision, UniqueReviewers who
	// voted.
	Votes, Agreeing, UniqueReviewers int
	// Confidence is the lower Wilson bound of the agreeing share, EnforcementRate the
	// share itself; both 0 to 1, not rounded.
	Confidence, EnforcementRate float64
	// Description is a sentence for people, Category never empty.
	Description, Category string
	// Top are the record ids of at most 5 votes, the nearest to the medoid first.
	Top []string
}

// Scope is what the judgments of a run have in common.
type Scope struct {
	// WorkspaceWide leaves out what only one organization decided.
	WorkspaceWide bool
	// NearestRule returns the category of the rule nearest to a judgment, or "" where
	// none is near or it has none. It is asked where no member has a category or an
	// issue type; nil finds none.
	NearestRule func(ctx context.Context, medoid Member) (category string, err error)
	// Alert is given what stands out at the time Now, in the order of clusters; nil where nobody asks for that.
	Alert func(Alert)
	Now   time.Time
}

// A Detector finds patterns. The zero value is ready; it keeps its memory from run to
// run and works on one at a time.
type Detector struct {
	// Threshold is the model's cluster threshold, a cosine distance; 0 stands for
	// DefaultThreshold.
	Threshold float64
	// StandsOut is by how many deviations two that are farther apart have to be nearer than usual;
	// 0 stands for DefaultStandsOut.
	StandsOut float64

	tile      tile
	distances triangle
}

// Detect returns the patterns among the judgments of one scope, ordered by their first
// member. It fails when the context ends, when NearestRule fails, and on judgments that
// cannot be compared: too many, two of one id, vectors of different lengths.
func (d *Detector) Detect(ctx context.Context, members []Member, scope Scope) ([]Pattern, error) {
	members = slices.SortedFunc(slices.Values(members), func(a, b Member) int { return cmp.Compare(a.RecordID, b.RecordID) })
	if err := check(members); err != nil {
		return nil, err
	}
	clusters, err := d.clusters(ctx, members)
	if err != nil {
		return nil, err
	}
	kept := decide(clusters, scope)
	if scope.Alert != nil {
		positions := map[string]int{}
		for i, d := range kept {
			positions[d.members[0].RecordID] = i
		}
		for _, a := range alerts(clusters, scope, positions) {
			scope.Alert(a)
		}
	}
	return patterns(ctx, members, kept, scope)
}

// patterns of decided clusters. Their words are compared with those of all members.
func patterns(ctx context.Context, members []Member, kept []decided, scope Scope) ([]Pattern, error) {
	common := make([]vocabulary, len(kept))
	for i, d := range kept {
		common[i] = d.members.common()
	}
	all := count(members, common)
	var found []Pattern
	for i, d := range kept {
		p, err := d.pattern(ctx, terms(common[i], all), scope)
		if err != nil {
			return nil, err
		}
		found = append(found, p)
	}
	return found, nil
}

// check finds what would make distances meaningless in ordered judgments.
func check(members []Member) error {
	if len(members) > MaxMembers {
		return fmt.Errorf("%d judgments, at most %d", len(members), MaxMembers)
	}
	review, content := widths(members)
	for i, m := range members {
		switch {
		case i > 0 && members[i-1].RecordID == m.RecordID:
			return fmt.Errorf("judgment %s is there twice", m.RecordID)
		case len(m.Review) == 0:
			return fmt.Errorf("judgment %s has no review vector", m.RecordID)
		case len(m.Review) != review, m.Content != nil && len(m.Content) != content:
			return fmt.Errorf("judgment %s: %w", m.RecordID, errLength)
		}
	}
	return nil
}

var errLength = errors.New("a vector of another length than the others")

// widths returns how long the vectors are, by the first of each kind.
func widths(members []Member) (review, content int) {
	for _, m := range members {
		review, content = cmp.Or(review, len(m.Review)), cmp.Or(content, len(m.Content))
	}
	return review, content
}

// clusters joins judgments in ascending order of their ids. Clusters are ordered by
// their first member, and so are members.
func (d *Detector) clusters(ctx context.Context, members []Member) ([]cluster, error) {
	if err := d.measure(ctx, members); err != nil {
		return nil, err
	}
	joined, err := join(ctx, d.distances, len(members), float32(cmp.Or(d.Threshold, DefaultThreshold)))
	if err != nil {
		return nil, err
	}
	clusters := make([]cluster, len(joined))
	for i, positions := range joined {
		for _, at := range positions {
			clusters[i] = append(clusters[i], members[at])
		}
	}
	return clusters, nil
}
