package pattern

import (
	"cmp"
	"context"
	"slices"
	"strings"
)

// cluster is judgments near one another, in ascending order of their ids.
type cluster []Member

// pattern makes a pattern of a cluster, if it is one. all are the words of its scope.
func (c cluster) pattern(ctx context.Context, all vocabulary, scope Scope) (p Pattern, ok bool, err error) {
	votes := votes(c)
	agreeing, ok := outcome(votes)
	if !ok || scope.WorkspaceWide && !shared(votes) {
		return p, false, ctx.Err()
	}
	medoid, terms := medoid(c, agreeing), terms(count(c), all)
	category, err := c.category(ctx, medoid, terms, scope)
	if err != nil {
		return p, false, err
	}
	return Pattern{
		Approve: medoid.Approves, Members: c.ids(),
		Votes: len(votes), Agreeing: len(agreeing), UniqueReviewers: reviewers(votes),
		Confidence:      wilson(len(agreeing), len(votes)),
		EnforcementRate: float64(len(agreeing)) / float64(len(votes)),
		Description:     describe(medoid, len(agreeing), len(votes), terms), Category: category,
		Top: top(votes, medoid),
	}, true, nil
}

func (c cluster) ids() []string {
	ids := make([]string, len(c))
	for i, m := range c {
		ids[i] = m.RecordID
	}
	return ids
}

// general is the category of what has no other.
const general = "general"

// category of a cluster is the one its members have most often, else the issue type
// that agents gave most often, else that of the nearest rule, else its first term.
func (c cluster) category(ctx context.Context, medoid Member, terms []string, scope Scope) (string, error) {
	recorded := cmp.Or(
		c.mostFrequent(func(m Member) string { return m.Category }),
		c.mostFrequent(func(m Member) string { return m.IssueType }),
	)
	if recorded != "" {
		return recorded, nil
	}
	if scope.NearestRule != nil {
		category, err := scope.NearestRule(ctx, medoid)
		if category = strings.TrimSpace(category); err != nil || category != "" {
			return category, err
		}
	}
	return append(slices.Clip(terms), general)[0], ctx.Err()
}

// mostFrequent gives the word that most members have, of equally frequent ones the
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
