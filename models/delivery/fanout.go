package delivery

import (
	"context"
	_ "embed"
	"encoding/json"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/id"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/job"
	"github.com/redline-svc/redline/models/notifier"
)

// MostDeliveries is how many deliveries the transaction of a change makes. A job makes the
// others: as many messages as a change has, to as many endpoints as there are, are no size for
// one transaction.
const MostDeliveries = 10_000

// rest are the messages whose deliveries a job makes, by those who get them: the input of the
// job.
type rest []restOf

// restOf are messages that the same endpoints get.
type restOf struct {
	Endpoints []string `json:"endpoints"`
	Messages  []string `json:"messages"`
}

// add notes a message. Those beside each other have the same endpoints, as a rule.
func (r *rest) add(messageID string, endpoints []string) {
	if last := len(*r) - 1; last >= 0 && slices.Equal((*r)[last].Endpoints, endpoints) {
		(*r)[last].Messages = append((*r)[last].Messages, messageID)
		return
	}
	*r = append(*r, restOf{endpoints, []string{messageID}})
}

// queue queues the job, if there is anything for it to do.
func (r rest) queue(ctx context.Context, tx *pg.Tx, workspaceID string) error {
	if len(r) == 0 {
		return nil
	}
	input, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return job.Queue(ctx, tx, job.Job{WorkspaceID: workspaceID, ID: id.New(id.Fanout), Kind: job.Fanout, Input: input})
}

//go:embed fan_out_rest.sql
var fanOutRest string

// portion returns the messages behind so many deliveries that are made, with so many deliveries or a few more.
func (r rest) portion(made int64, deliveries int) (next rest) {
	for _, part := range r {
		each := int64(len(part.Endpoints))
		before := min(made/each, int64(len(part.Messages)))
		part.Messages = part.Messages[before:]
		made -= before * each
		if len(part.Messages) == 0 {
			continue
		}
		part.Messages = part.Messages[:min(len(part.Messages), 1+deliveries/len(part.Endpoints))]
		next = append(next, part)
		if deliveries -= part.deliveries(); deliveries <= 0 {
			break
		}
	}
	return next
}

// deliveries is how many there are of the messages.
func (p restOf) deliveries() int { return len(p.Messages) * len(p.Endpoints) }

// FanOutRest makes the next deliveries of a job, so many or a few more, and reports whether there may be others. How many of them
// are there is noted with them, so nobody looks again at what is made.
func (w *Endpoints) FanOutRest(ctx context.Context, j *job.Job, atOnce int) (more bool, err error) {
	var left rest
	if err := json.Unmarshal(j.Input, &left); err != nil {
		return false, err
	}
	err = w.db.InTx(ctx, func(tx *pg.Tx) error {
		made, open, err := job.Dealt(ctx, tx, j.ID)
		if err != nil || !open {
			return err
		}
		b, there := &pgx.Batch{}, 0
		for _, part := range left.portion(made, atOnce) {
			b.Queue(fanOutRest, pgx.NamedArgs{"workspace": j.WorkspaceID, "messages": part.Messages, "endpoints": part.Endpoints})
			tx.Notify(notifier.Destinations, part.Endpoints...)
			there += part.deliveries()
		}
		if more = there > 0; !more {
			return nil
		}
		job.Advance(b, j.ID, int64(there))
		return tx.SendBatch(ctx, b).Close()
	})
	return more, err
}
