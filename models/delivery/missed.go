package delivery

import (
	"context"
	_ "embed"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/id"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/notifier"
)

// recovered is what a look at some of the messages of a recovery did.
type recovered struct {
	// behind is the last message looked at, more whether others may follow it.
	behind string
	more   bool
	// examined are the messages of the window, requeued those of them that were queued.
	examined, requeued int64
}

// idSlack is by how much the time in a message's id may differ from that of its row,
// where it was made by the clock of a process.
const idSlack = time.Minute

//go:embed find_missed.sql
var findMissed string

// queueMissed queues some of what the endpoint of a recovery missed, from the oldest on,
// behind everything else that waits for it. It looks at so many messages.
func (at recoveryRow) queueMissed(ctx context.Context, tx *pg.Tx, atOnce int) (recovered, error) {
	done, ids, err := at.findMissed(ctx, tx, atOnce)
	if err != nil || len(ids) == 0 {
		return done, err
	}
	b := &pgx.Batch{}
	enqueueDestinations(b, at.WorkspaceID, []string{at.EndpointID})
	queueAgain(b, at.WorkspaceID, at.EndpointID, causeRecover, recoveredOrigin, ids)
	tx.Notify(notifier.Destinations, at.EndpointID)
	done.requeued = int64(len(ids))
	return done, tx.SendBatch(ctx, b).Close()
}

func (at recoveryRow) findMissed(ctx context.Context, tx *pg.Tx, atOnce int) (done recovered, ids []string, err error) {
	behind := max(at.Behind, id.First(id.Message, at.Since.Add(-idSlack)))
	until := at.Until.Add(time.Millisecond)
	b := &pgx.Batch{}
	b.Queue(pg.ByKeys)
	b.Queue(pg.InOrder)
	b.Queue(findMissed, pgx.NamedArgs{
		"workspace": at.WorkspaceID, "endpoint": at.EndpointID, "behind": behind, "before": id.First(id.Message, until.Add(idSlack)),
		"since": at.Since, "until": until, "most": atOnce, "last_round": lastRound,
	}).
		QueryRow(func(row pgx.Row) error { return row.Scan(&done.behind, &done.more, &done.examined, &ids) })
	return done, ids, tx.SendBatch(ctx, b).Close()
}
