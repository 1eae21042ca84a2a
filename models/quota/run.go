package quota

import (
	"context"
	_ "embed"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/poll"
	"github.com/redline-svc/redline/models/internal/pg"
)

// every is how often what was noted is moved, and how old what is kept in memory becomes.
const every = 2 * time.Second

var (
	//go:embed fold.sql
	fold string
	//go:embed mark.sql
	mark string
)

// readFull returns the workspaces that may add nothing. Bodies of messages are not added by
// calls that could be refused.
const readFull = `SELECT DISTINCT workspace_id FROM storage_use WHERE is_full AND kind <> 'messages'`

// Run keeps what is counted up to date until ctx ends. A look that fails is made again in its
// turn: what is known until then holds.
func (q *Quotas) Run(ctx context.Context) {
	looks := poll.New(every)
	looks.Notify()
	looks.Run(ctx, func(ctx context.Context) (more bool) {
		_ = q.Refresh(ctx)
		return false
	})
}

// Refresh moves what was noted, notes who has used up a quota, and reads who that is.
func (q *Quotas) Refresh(ctx context.Context) error {
	full := map[string]bool{}
	b := &pgx.Batch{}
	b.Queue(fold)
	b.Queue(mark, q.args(""))
	b.Queue(readFull).Query(func(rows pgx.Rows) error {
		var workspaceID string
		_, err := pgx.ForEachRow(rows, []any{&workspaceID}, func() error {
			full[workspaceID] = true
			return nil
		})
		return err
	})
	if err := q.db.Pool.SendBatch(ctx, b).Close(); err != nil {
		return pg.Translate(err)
	}
	q.full.Store(&full)
	return nil
}
