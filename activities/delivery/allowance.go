package delivery

import (
	"context"

	"github.com/redline-svc/redline/internal/contract"
	"github.com/redline-svc/redline/internal/guard"
	"github.com/redline-svc/redline/models/delivery"
)

// allowance is what one claim may take: so many rows of each of some origins, with a slot for each.
type allowance struct {
	origins []string // as the rows have them; one that is empty for endpoints and mails
	shares  []int
	rows    int
	// last is the last origin that was looked at, and whole whether the look has come to the
	// end of those that are due.
	last  string
	whole bool
}

func (m *allowance) add(origin string, share int) {
	m.origins, m.shares, m.rows = append(m.origins, origin), append(m.shares, share), m.rows+share
}

func (m *allowance) limits() delivery.ClaimLimits {
	return delivery.ClaimLimits{Rows: m.rows, Origins: m.origins, Shares: m.shares}
}

// allow takes what the next claim may have, at its origins and among the slots. It looks at
// those behind the origins of the claim before, as many as it takes.
func (r *dispatcher) allow(ctx context.Context) (*allowance, error) {
	due := []string{""}
	if r.to.Kind == contract.KindReceiver {
		var err error
		if due, err = r.rows.DueOrigins(ctx, r.to.ID, r.after, claimAtMost); err != nil {
			return nil, err
		}
	}
	if r.after == "" {
		r.blocked, r.soon = false, idlePoll
	}
	m := &allowance{whole: len(due) < claimAtMost}
	for i, origin := range due {
		m.last = origin
		share, wait := r.origins.take(r.key(origin), r.to.Kind, claimAtMost-m.rows)
		if share > 0 {
			m.add(origin, share)
		} else if r.blocked = true; wait > 0 {
			r.soon = min(r.soon, wait)
		}
		if m.rows == claimAtMost {
			m.whole = m.whole && i == len(due)-1
			break
		}
	}
	if m.rows > 0 {
		r.cut(m, r.acquireSlots(m.rows))
	} else {
		r.leaveQueue()
	}
	return m, nil
}

// key names an origin of the destination, by the origin that its rows have.
func (r *dispatcher) key(origin string) originKey {
	if r.to.Kind == contract.KindEndpoint {
		origin = guard.Origin(r.to.URL, guard.Endpoint)
	}
	return originKey{r.to.ID, origin}
}

// cut leaves as much as there are slots.
func (r *dispatcher) cut(m *allowance, slots int) {
	m.rows = min(m.rows, slots)
	for i, share := range m.shares {
		m.shares[i] = min(share, slots)
		slots -= m.shares[i]
		r.origins.giveBack(r.key(m.origins[i]), share-m.shares[i])
	}
}

// returnUnused releases what the rows that a claim has returned do not take.
func (r *dispatcher) returnUnused(m *allowance, rows []*delivery.Claimed) {
	used, all := map[string]int{}, 0
	for _, row := range rows {
		if !row.Expired {
			used[row.Origin]++
			all++
		}
	}
	for i, origin := range m.origins {
		r.origins.giveBack(r.key(origin), m.shares[i]-used[origin])
	}
	r.slots.Release(r.to.WorkspaceID, int64(m.rows-all))
}

// turned notes that a claim has returned so many rows of the origins that were due, and reports
// whether to wait now: none of all those due has more.
func (r *dispatcher) turned(m *allowance, claimed int) (wait bool) {
	r.found = r.found || claimed > 0
	r.full = false
	switch {
	case r.queued != nil:
		return true
	case !m.whole:
		r.after = m.last
		return false
	}
	begun, found := r.after == "", r.found
	r.after, r.found, r.full = "", false, r.blocked && !found
	if begun {
		return claimed < m.rows || m.rows == 0
	}
	return !found
}
