package delivery

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/redline-svc/redline/activities"
	"github.com/redline-svc/redline/internal/poll"
	"github.com/redline-svc/redline/models/delivery"
)

const (
	// recordAfter and recordAt say when outcomes are written together: so long after
	// the first of them, or when there are so many.
	recordAfter = 5 * time.Millisecond
	recordAt    = 128
)

// ended is an outcome on its way to the rows; when its lock has passed its row
// is claimed again and it counts no more.
type ended struct {
	delivery.Outcome
	activities.PostgresTime
}

// recorder writes outcomes of all destinations together. It has a goroutine
// only while there is something to write.
type recorder struct {
	rows Rows
	log  *slog.Logger
	// stored is called with what a batch did, after its commit.
	stored func(batch []ended, did delivery.Recorded)

	mu      sync.Mutex
	waiting []ended
	running bool
	full    poll.Signal // set while recordAt outcomes wait
	group   sync.WaitGroup
}

func newRecorder(rows Rows, log *slog.Logger, stored func([]ended, delivery.Recorded)) *recorder {
	return &recorder{rows: rows, log: log, stored: stored, full: poll.NewSignal()}
}

// add takes an outcome; a batch goes out soon.
func (r *recorder) add(e ended) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.waiting = append(r.waiting, e)
	if len(r.waiting) >= recordAt {
		r.full.Set()
	}
	if !r.running {
		r.running = true
		r.group.Go(r.run)
	}
}

// idle returns when everything is written; nothing may be added meanwhile.
func (r *recorder) idle() { r.group.Wait() }

// run writes batch after batch until nothing waits.
func (r *recorder) run() {
	for {
		timer := time.NewTimer(recordAfter)
		select {
		case <-timer.C:
		case <-r.full:
		}
		timer.Stop()
		batch := r.take()
		if batch == nil {
			return
		}
		r.write(batch)
	}
}

// take returns the next batch; nil ends the goroutine.
func (r *recorder) take() []ended {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := min(len(r.waiting), recordAt)
	if n == 0 {
		r.running = false
		return nil
	}
	batch := r.waiting[:n:n]
	if r.waiting = r.waiting[n:]; len(r.waiting) < recordAt {
		r.full.Clear()
	}
	return batch
}

// write offers a batch until the rows take it. What is left when its lock ends
// is dropped: the row has been claimed again by then, and Record would drop it.
func (r *recorder) write(batch []ended) {
	for pause := activities.RetryFirst; len(batch) > 0; pause = min(2*pause, activities.RetryLongest) {
		did, err := r.offer(batch)
		if err == nil {
			r.stored(batch, did)
			return
		}
		r.log.Warn("outcomes of deliveries could not be stored", "count", len(batch), "error", err)
		time.Sleep(pause)
		batch = stillLocked(batch)
	}
}

func (r *recorder) offer(batch []ended) (delivery.Recorded, error) {
	ctx, cancel := context.WithTimeout(context.Background(), activities.StoreLimit)
	defer cancel()
	outcomes := make([]delivery.Outcome, len(batch))
	for i, e := range batch {
		outcomes[i] = e.Outcome
	}
	return r.rows.Record(ctx, outcomes)
}

func stillLocked(batch []ended) []ended {
	var left []ended
	for _, e := range batch {
		if e.Passed() < e.Claimed.LockedFor() {
			left = append(left, e)
		}
	}
	return left
}
