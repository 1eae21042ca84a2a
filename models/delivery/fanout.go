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

// FanOutRest makes so many deliveries of a job, or a few more, and returns how many it made; 0 means
// that all are made. Which are left is seen from the rows, so a portion that is repeated
// makes none twice.
func (w *Endpoints) FanOutRest(ctx context.Context, j *job.Job, atOnce int) (made int64, err error) {
	var left rest
	if err := json.Unmarshal(j.Input, &left); err != nil {
		return 0, err
	}
	for _, part := range left {
		if made, err = w.fanOut(ctx, j.WorkspaceID, part, 1+atOnce/len(part.Endpoints)); err != nil || made > 0 {
			return made, err
		}
	}
	return 0, nil
}

// fanOut makes the deliveries of some messages.
func (w *Endpoints) fanOut(ctx context.Context, workspaceID string, part restOf, messages int) (made int64, err error) {
	err = w.db.InTx(ctx, func(tx *pg.Tx) error {
		tag, err := tx.Exec(ctx, fanOutRest, pgx.NamedArgs{
			"workspace": workspaceID, "messages": part.Messages, "endpoints": part.Endpoints, "most": messages,
		})
		if made = tag.RowsAffected(); made > 0 {
			tx.Notify(notifier.Destinations, part.Endpoints...)
		}
		return err
	})
	return made, err
}
