package delivery

import (
	"cmp"
	"slices"

	"github.com/redline-svc/redline/internal/webhook"
)

// SlowFailures is how many failures in a row bring an origin into the slow lane;
// the function waiting_origins of the schema has the same number.
const SlowFailures = 5

// updateWindows keeps the windows of origins: how many requests each may have
// under way (room), and its failures. A failure sets the room back to 2, each
// success doubles it. A row that stays the same is not written.
const updateWindows = `
INSERT INTO origins (destination_id, origin, room, failures, failed_at, failing_since, last_class)
SELECT n.destination_id, n.origin, least(50, CASE WHEN n.failed THEN 2 ELSE coalesce(o.room, 2) END * n.factor),
       n.losses + CASE WHEN n.won THEN 0 ELSE coalesce(o.failures, 0) END,
       CASE WHEN n.failed THEN clock_timestamp() ELSE o.failed_at END,
       CASE WHEN n.losses > 0 AND n.won THEN clock_timestamp() WHEN n.losses > 0 THEN coalesce(o.failing_since, clock_timestamp()) END,
       n.class
FROM unnest($1::text[], $2::text[], $3::text[], $4::boolean[], $5::boolean[], $6::integer[], $7::integer[])
     AS n (destination_id, origin, class, failed, won, factor, losses)
JOIN destinations known ON known.id = n.destination_id
LEFT JOIN origins o ON o.destination_id = n.destination_id AND o.origin = n.origin
WHERE o.origin IS NULL OR n.failed OR o.room < 50 OR o.failures > 0 OR o.last_class <> n.class
ON CONFLICT (destination_id, origin) DO UPDATE SET room = excluded.room, failures = excluded.failures, failed_at = excluded.failed_at,
    failing_since = excluded.failing_since, last_class = excluded.last_class`

// windowChange is what a batch of outcomes changes in the window of one origin.
type windowChange struct {
	destinationID, origin string
	class                 webhook.Class
	failed, won           bool
	factor, losses        int32
}

// roomFactor bounds the growth of a window in one batch: 2 times 32 is above the
// limit of a window.
const roomFactor = 32

func (h *windowChange) add(o Outcome) {
	h.class = o.Class
	if o.good() {
		h.won, h.losses, h.factor = true, 0, min(roomFactor, h.factor*2)
		return
	}
	h.failed, h.factor = true, 1
	h.losses++
}

// windowChanges sums up outcomes by origin, in one order everywhere, so that two
// batches cannot deadlock. An attempt that was never made says nothing about its
// origin.
func windowChanges(outcomes []Outcome) []*windowChange {
	type window struct{ destinationID, origin string }
	found := map[window]*windowChange{}
	var all []*windowChange
	for _, o := range outcomes {
		if o.Class == webhook.Interrupted || o.Class == webhook.RefusedByPolicy {
			continue
		}
		at := window{o.Claimed.DestinationID, o.Claimed.Origin}
		if found[at] == nil {
			found[at] = &windowChange{destinationID: at.destinationID, origin: at.origin, factor: 1}
			all = append(all, found[at])
		}
		found[at].add(o)
	}
	slices.SortFunc(all, func(a, b *windowChange) int {
		return cmp.Or(cmp.Compare(a.destinationID, b.destinationID), cmp.Compare(a.origin, b.origin))
	})
	return all
}

func windowArgs(all []*windowChange) []any {
	n := len(all)
	destinations, origins, classes := make([]string, n), make([]string, n), make([]string, n)
	failed, won, factors, losses := make([]bool, n), make([]bool, n), make([]int32, n), make([]int32, n)
	for i, h := range all {
		destinations[i], origins[i], classes[i] = h.destinationID, h.origin, string(h.class)
		failed[i], won[i], factors[i], losses[i] = h.failed, h.won, h.factor, h.losses
	}
	return []any{destinations, origins, classes, failed, won, factors, losses}
}
