package pattern

import (
	"cmp"
	"context"
	"slices"
	"strings"
)

// cluster is judgments near one another, in ascending order of their ids.
type cluster []Member

// decided is a cluster whose votes make a pattern.
type decided struct{ members, votes, agreeing cluster }

// decide counts the votes of clusters and keeps those that are patterns of a scope.
func decide(clusters []cluster, scope Scope) (kept []decided) {
	for _, c := range clusters {
		votes := votes(c)
		agreeing, ok := outcome(votes)
		if ok && (!scope.WorkspaceWide || shared(votes)) {
			kept = append(kept, decided{members: c, votes: votes, agreeing: agreeing})
		}
	}
	return kept
}

// pattern puts a decided cluster with those terms into figures and words.
func (d decided) pattern(ctx context.Context, terms []string, scope Scope) (Pattern, error) {
	medoid := medoid(d.members, d.agreeing)
	category, err := d.members.category(ctx, medoid, terms, scope)
	if err != nil {
		return Pattern{}, err
	}
	agreeing, votes := len(d.agreeing), len(d.votes)
	return Pattern{
		Approve: medoid.Approves, Members: d.members.ids(),
		Votes: votes, Agreeing: agreeing, UniqueReviewers: reviewers(d.votes),
		Confidence: wilson(agreeing, votes), EnforcementRate: float64(agreeing) / float64(votes),
		Description: describe(medoid, agreeing, votes, terms), Category: category,
		Top: top(d.votes, medoid),
	}, nil
}

func (c cluster) ids() []string {
	ids := make([]string, len(c))
	for i, m := range c {
		ids[i] = m.RecordID
	}
	return ids
}

const (
	// general is the category of what has no other.
	general = "general"
	// maxCategory is how long a category is, in characters: as much as stands of a heading
	// before what is under it. What agents call an issue may be much longer.
	maxCategory = 300
)

// category of a cluster is the one its members have most often, else the issue type
// that agents gave most often, else that of the nearest rule, else its first term.
func (c cluster) category(ctx context.Context, medoid Member, terms []string, scope Scope) (string, error) {
	recorded := cmp.Or(
		c.mostFrequent(func(m Member) string { return m.Category }),
		c.mostFrequent(func(m Member) string { return m.IssueType }),
	)
	if recorded != "" {
		return shortCategory(recorded), nil
	}
	if scope.NearestRule != nil {
		category, err := scope.NearestRule(ctx, medoid)
		if category = shortCategory(category); err != nil || category != "" {
			return category, err
		}
	}
	return append(slices.Clip(terms), general)[0], ctx.Err()
}

func shortCategory(category string) string {
	return strings.TrimSpace(cut(strings.TrimSpace(category), maxCategory))
}

// mostFrequent returns the word that most members have, of equally frequent ones the
// first in the alphabet, "" where none has one.
func (c cluster) mostFrequent(word func(Member) string) string {
	counts := map[string]int{}
	for _, m := range c {
		if w := strings.TrimSpace(word(m)); w != "" {
			counts[w]++
		}
	}
	return append(byFrequency(counts), "")[0]
}
