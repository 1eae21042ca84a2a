package pattern

import (
	"cmp"
	"math"
	"slices"
)

// What makes a cluster a pattern.
const (
	minVotes = 3
	// minShare of the votes must agree, in percent.
	minShare = 75
)

// ballot is what one reviewer has one vote about.
type ballot struct{ reviewer, organization, document, thread, record string }

// ballot of a judgment is about its document, without one about its thread, and else
// about itself. Ids of documents and threads are unique within their organization.
func (m Member) ballot() ballot {
	b := ballot{reviewer: m.ReviewerID, organization: m.OrganizationID}
	switch {
	case m.DocumentID != "":
		b.document = m.DocumentID
	case m.ThreadID != "":
		b.thread = m.ThreadID
	default:
		b.record = m.RecordID
	}
	return b
}

// votes of a cluster: the newest of each ballot, of equally new ones that with the
// highest id, in ascending order of ids.
func votes(of cluster) cluster {
	newest := map[ballot]Member{}
	for _, m := range of {
		if other, ok := newest[m.ballot()]; !ok || newer(m, other) {
			newest[m.ballot()] = m
		}
	}
	counted := make(cluster, 0, len(newest))
	for _, m := range of {
		if newest[m.ballot()].RecordID == m.RecordID {
			counted = append(counted, m)
		}
	}
	return counted
}

func newer(a, b Member) bool {
	return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.RecordID, b.RecordID)) > 0
}

// outcome returns the votes of the greater side, and whether they make a pattern.
func outcome(votes cluster) (agreeing cluster, ok bool) {
	var approving, rejecting cluster
	for _, vote := range votes {
		if vote.Approves {
			approving = append(approving, vote)
		} else {
			rejecting = append(rejecting, vote)
		}
	}
	agreeing = approving
	if len(rejecting) > len(approving) {
		agreeing = rejecting
	}
	return agreeing, len(votes) >= minVotes && 100*len(agreeing) >= minShare*len(votes)
}

// shared reports whether votes speak for more than one organization: they come from
// two at least, or some from none.
func shared(votes cluster) bool {
	return slices.ContainsFunc(votes, func(m Member) bool {
		return m.OrganizationID == "" || m.OrganizationID != votes[0].OrganizationID
	})
}

// reviewers counts who voted.
func reviewers(votes cluster) int {
	seen := map[string]bool{}
	for _, vote := range votes {
		seen[vote.ReviewerID] = true
	}
	return len(seen)
}

// wilson is the lower bound of the Wilson score interval (1927) for a share of k in n
// at 95 %, z being the quantile of the normal distribution:
//
//	(p + z²/2n − z √(p(1−p)/n + z²/4n²)) / (1 + z²/n), p = k/n
func wilson(k, n int) float64 {
	const z = 1.96
	total := float64(n)
	p := float64(k) / total
	middle := p + z*z/(2*total)
	spread := z * math.Sqrt(p*(1-p)/total+z*z/(4*total*total))
	return (middle - spread) / (1 + z*z/total)
}
