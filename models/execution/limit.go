package execution

import (
	"context"
	"sync"
	"time"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/internal/pg"
)

const (
	// maxLive is how many executions of a workspace may be pending or running.
	maxLive = 100_000
	// countedFor is how long a count holds; the limit may be passed by what is
	// accepted meanwhile.
	countedFor = time.Second
	// countLimit bounds the memory of the counts; full, they start anew.
	countLimit = 10_000
)

// liveCounts remembers, for a second, how many executions of a workspace live.
type liveCounts struct {
	db     *pg.DB
	mu     sync.Mutex
	counts map[string]liveCount
}

type liveCount struct {
	n  int
	at time.Time
}

func newLiveCounts(db *pg.DB) *liveCounts { return &liveCounts{db: db, counts: map[string]liveCount{}} }

// check refuses when the workspace has its full number of live executions.
func (l *liveCounts) check(ctx context.Context, workspaceID string) error {
	n, err := l.count(ctx, workspaceID)
	if err != nil {
		return err
	}
	if n >= maxLive {
		return fault.Exhausted("live-executions", "the workspace has 100000 executions that have not ended", countedFor)
	}
	return nil
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
WHERE workspace_id = $1 AND status IN ('pending', 'running') LIMIT $2) AS live`, workspaceID, maxLive).Scan(&n)
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
