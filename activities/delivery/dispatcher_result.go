package delivery

import (
	"fmt"
	"strings"
	"time"

	"github.com/redline-svc/redline/internal/contract"
	"github.com/redline-svc/redline/models/delivery"
)

// resultOf gives the run the time to dispatch again, and people the state of the
// destination; the times in it are of Postgres.
func resultOf(s delivery.DestinationState, claimed int, wrongLane bool) contract.DispatchResult {
	var result contract.DispatchResult
	lines := []string{fmt.Sprintf("rows waiting: %d", s.Waiting)}
	if s.Waiting >= delivery.WaitingShown {
		lines[0] += " or more"
	}
	if s.LastClass != "" {
		lines = append(lines, "last class: "+s.LastClass)
	}
	if s.FailingSince != nil {
		lines = append(lines, "failing since: "+s.FailingSince.UTC().Format(time.RFC3339))
	}
	if s.Next != nil {
		wait := *s.Next
		if claimed == 0 && !wrongLane {
			wait = max(wait, emptyPause)
		}
		ms := (wait + time.Millisecond - 1).Milliseconds()
		result.NextIn = &ms
		lines = append(lines, "next: "+s.At.Add(wait).UTC().Format(time.RFC3339))
	}
	result.Details = strings.Join(lines, "\n\n")
	return result
}
