package delivery

import (
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/id"
	"github.com/redline-svc/redline/internal/webhook"
)

// What recordRows takes as the end of an attempt beside the states of rows.
const (
	endsBySchedule = "schedule"
	endsAgain      = "again"
	endsWait       = "wait"
)

// againAtMost is how often in a row an interrupted attempt is made again at once.
const againAtMost = 2

// ends returns the state that follows from an outcome, as recordRows takes it.
func (o Outcome) ends() string {
	switch {
	case o.Class == webhook.Interrupted:
		return endsAgain
	case o.MailWaits:
		return endsWait
	case o.Class == webhook.OK || o.MailResult == MailSent:
		return Delivered
	case o.Class == webhook.RefusedByPolicy && o.Claimed.MailID == "":
		return Refused
	case o.MailResult != "", o.Claimed.Message != nil && (o.Class == webhook.Gone || o.Class == webhook.Expired || o.Claimed.Message.Test):
		return Dead
	default:
		return endsBySchedule
	}
}

// outcomeArgs are the arguments of recordRows, one array for each column.
func outcomeArgs(outcomes []Outcome, vary float64) pgx.NamedArgs {
	n := len(outcomes)
	ids, numbers, statuses, durations := make([]int64, n), make([]int, n), make([]int, n), make([]int64, n)
	classes, ends, urls, answers, events := make([]string, n), make([]string, n), make([]string, n), make([]string, n), make([]string, n)
	varied, leasts, asked := make([]float64, n), make([]float64, n), make([]float64, n)
	for i, o := range outcomes {
		ids[i], numbers[i], classes[i], ends[i] = o.Claimed.ID, o.Claimed.Attempt, string(o.Class), o.ends()
		statuses[i], durations[i], urls[i], answers[i] = o.Status, o.Duration.Milliseconds(), o.Claimed.URL, o.Body
		if o.Class == webhook.Interrupted {
			durations[i] = -1 // nobody measured it
		}
		leasts[i], asked[i] = o.leastPause().Seconds(), o.RetryAfter.Seconds()
		varied[i] = 1 - vary + 2*vary*rand.Float64() //nolint:gosec // spreads attempts, guards nothing
		if o.Claimed.Message != nil {
			events[i] = o.Claimed.Message.Event
		}
	}
	return pgx.NamedArgs{
		"ids": ids, "numbers": numbers, "classes": classes, "statuses": statuses, "durations": durations, "attempt_ids": newAttemptIDs(n),
		"ends": ends, "varied": varied, "least_pauses": leasts, "asked": asked, "urls": urls, "answers": answers, "events": events,
	}
}

func newAttemptIDs(n int) []string {
	ids := make([]string, n)
	for i := range ids {
		ids[i] = id.New(id.Attempt)
	}
	return ids
}

// patience is the shortest pause after an attempt that an endpoint was too slow
// for, or too busy without saying for how long.
const patience = time.Minute

func (o Outcome) leastPause() time.Duration {
	if o.Claimed.Message == nil {
		return 0
	}
	if o.Class == webhook.Timeout || (o.Status == http.StatusTooManyRequests && !o.AsksToWait) {
		return patience
	}
	return 0
}

func seconds(delays []time.Duration) []float64 {
	out := make([]float64, len(delays))
	for i, delay := range delays {
		out[i] = delay.Seconds()
	}
	return out
}
