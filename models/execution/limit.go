package execution

import (
	"context"
	"fmt"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/internal/pg"
)

// liveLimit is how many executions of a workspace may be pending or running; 0 is no
// limit. It may be passed by what is accepted within the second that a count holds.
type liveLimit struct {
	most   int
	counts *pg.RecentCounts
}

// newLiveLimit counts by hand: the limit inside ends the count where its answer is known.
func newLiveLimit(db *pg.DB, most int) *liveLimit {
	return &liveLimit{most, pg.NewRecentCounts(func(ctx context.Context, workspaceID string) (n int, err error) {
		err = db.Pool.QueryRow(ctx, `SELECT count(*) FROM (SELECT 1 FROM executions
WHERE workspace_id = $1 AND status IN ('pending', 'running') LIMIT $2) AS live`, workspaceID, most).Scan(&n)
		return n, pg.Translate(err)
	})}
}

// full gives whether the workspace has its full number of live executions.
func (l *liveLimit) full(ctx context.Context, workspaceID string) (bool, error) {
	if l.most == 0 {
		return false, nil
	}
	n, err := l.counts.Of(ctx, workspaceID)
	return n >= l.most, err
}

// refusal is the answer to a dispatch that is one too many. It names no time to
// wait: only the end of an execution makes room.
func (l *liveLimit) refusal() error {
	return fault.Exhausted("live-executions", fmt.Sprintf("the workspace has %d executions that have not ended", l.most), 0)
}
