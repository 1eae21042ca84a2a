package execution

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/internal/pg"
)

const (
	// countedFor is how long a count holds; the limit may be passed by what is
	// accepted meanwhile.
	countedFor = time.Second
	// countLimit bounds the memory of the counts; full, they start anew.
	countLimit = 10_000
)

// liveCounts remembers, for a second, how many executions of a workspace live.
type liveCounts struct {
	db *pg.DB
	// most is how many may be pending or running; 0 is no limit.
	most   int
	mu     sync.Mutex
	counts map[string]liveCount
}

type liveCount struct {
	n  int
	at time.Time
}

func newLiveCounts(db *pg.DB, most int) *liveCounts {
	return &liveCounts{db: db, most: most, counts: map[string]liveCount{}}
}

// full gives whether the workspace has its full number of live executions.
func (l *liveCounts) full(ctx context.Context, workspaceID string) (bool, error) {
	if l.most == 0 {
		return false, nil
	}
	n, err := l.count(ctx, workspaceID)
	return n >= l.most, err
}

// refusal is the answer to a dispatch that is one too many. It names no time to
// wait: only the end of an execution makes room.
func (l *liveCounts) refusal() error {
	return fault.Exhausted("live-executions", fmt.Sprintf("the workspace has %d executions that have not ended", l.most), 0)
}

// count counts by hand: the limit inside ends the count where its answer is known.
func (l *liveCounts) count(ctx context.Context, workspaceID string) (int, error) {
	l.mu.Lock()
	known, ok := l.counts[workspaceID]
	stale := !ok || time.Since(known.at) > countedFor
	if stale { // whoever asks meanwhile takes the old count
		l.keep(workspaceID, known.n)
	}
	l.mu.Unlock()
	if !stale {
		return known.n, nil
	}
	var n int
	err := l.db.Pool.QueryRow(ctx, `SELECT count(*) FROM (SELECT 1 FROM executions
WHERE workspace_id = $1 AND status IN ('pending', 'running') LIMIT $2) AS live`, workspaceID, l.most).Scan(&n)
	if err != nil {
		return 0, pg.Translate(err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.keep(workspaceID, n)
	return n, nil
}

func (l *liveCounts) keep(workspaceID string, n int) {
	if len(l.counts) >= countLimit {
		clear(l.counts)
	}
	l.counts[workspaceID] = liveCount{n: n, at: time.Now()}
}
