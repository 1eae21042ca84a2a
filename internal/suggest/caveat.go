package suggest

import (
	"fmt"
	"time"
)

const (
	// old is the age from which on a vote may no longer be how things are done: 6 months.
	old = 183 * 24 * time.Hour
	// oldPercent is the part of the votes above which the whole advice is old.
	oldPercent = 70
)

// warnings are the caveats of the leading side, in their fixed order and words. The
// minority is nil where it is not shown.
func warnings(leading tally, minority *tally, c Circumstances) []string {
	caveats := []string{}
	if minority != nil {
		approve, reject := len(leading.votes), len(minority.votes)
		if !leading.approves {
			approve, reject = reject, approve
		}
		caveats = append(caveats, fmt.Sprintf("Conflict: %d approve, %d reject", approve, reject))
	}
	if c.UpdatedSources > 0 {
		caveats = append(caveats, fmt.Sprintf("Knowledge updated in the last 48 hours: %d source(s)", c.UpdatedSources))
	}
	if leading.stale(c.Now) {
		caveats = append(caveats, "Stale: more than 70% of the evidence is older than 6 months")
	}
	for _, scope := range c.Unsearched {
		caveats = append(caveats, fmt.Sprintf("Partial: %s was not searched in time", scope))
	}
	return caveats
}

func (s tally) stale(now time.Time) bool {
	aged := 0
	for _, v := range s.votes {
		if now.Sub(v.CreatedAt) > old {
			aged++
		}
	}
	return aged*100 > oldPercent*len(s.votes)
}

// minorityView is the one caveat of the side that does not lead.
func minorityView(leading, minority tally) string {
	return fmt.Sprintf("Minority view: %d of %d judgments", len(minority.votes), len(leading.votes)+len(minority.votes))
}
