package delivery

import (
	"fmt"
	"strings"
	"time"

	"github.com/redline-svc/redline/internal/contract"
	"github.com/redline-svc/redline/models/delivery"
)

// resultOf returns the time for the run to dispatch again, not before a pause, and the state for people
// of the destination; the times in it are of Postgres.
func resultOf(s delivery.DestinationState, f failing, pause time.Duration) contract.DispatchResult {
	var result contract.DispatchResult
	lines := []string{fmt.Sprintf("rows waiting: %d", s.Waiting)}
	if s.Waiting >= delivery.WaitingShown {
		lines[0] += " or more"
	}
	if !f.since.IsZero() {
		lines = append(lines, "last class: "+string(f.lastClass), "failing since: "+f.since.UTC().Format(time.RFC3339))
	}
	if s.Next != nil {
		wait := max(*s.Next, pause)
		ms := (wait + time.Millisecond - 1).Milliseconds()
		result.NextIn = &ms
		lines = append(lines, "next: "+s.At.Add(wait).UTC().Format(time.RFC3339))
	}
	result.Details = strings.Join(lines, "\n\n")
	return result
}
