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
	// countedFor is how long a count of live executions holds.
	countedFor = time.Second
	// countsKept bounds the memory of the counts; full, they start again.
	countsKept = 10_000
)

// liveLimit is how many executions of a workspace may be pending or running; 0 is no
// limit. It may be passed by what is accepted within the second that a count holds.
type liveLimit struct {
	db   *pg.DB
	most int

	mu     sync.Mutex
	counts map[string]recentCount
}

type recentCount struct {
	n  int
	at time.Time
}

func newLiveLimit(db *pg.DB, most int) *liveLimit {
	return &liveLimit{db: db, most: most, counts: map[string]recentCount{}}
}

// full reports whether the workspace has its full number of live executions. Of several
// callers who ask when a count is too old, one counts; the others take the old one.
func (l *liveLimit) full(ctx context.Context, workspaceID string) (bool, error) {
	if l.most == 0 {
		return false, nil
	}
	l.mu.Lock()
	known, ok := l.counts[workspaceID]
	recent := ok && time.Since(known.at) <= countedFor
	if !recent {
		l.keep(workspaceID, known.n)
	}
	l.mu.Unlock()
	if recent {
		return known.n >= l.most, nil
	}
	n, err := l.count(ctx, workspaceID)
	if err != nil {
		return false, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.keep(workspaceID, n)
	return n >= l.most, nil
}

// count counts by hand: the limit inside ends the count where its answer is known.
func (l *liveLimit) count(ctx context.Context, workspaceID string) (n int, err error) {
	err = l.db.Pool.QueryRow(ctx, `SELECT count(*) FROM (SELECT 1 FROM executions
WHERE workspace_id = $1 AND status IN ('pending', 'running') LIMIT $2) AS live`, workspaceID, l.most).Scan(&n)
	return n, pg.Translate(err)
}

func (l *liveLimit) keep(workspaceID string, n int) {
	if len(l.counts) >= countsKept {
		clear(l.counts)
	}
	l.counts[workspaceID] = recentCount{n: n, at: time.Now()}
}

// refusal is the answer to a dispatch that is one too many. It names no time to
// wait: only the end of an execution makes room.
func (l *liveLimit) refusal() error {
	return fault.ResourceExhausted("live-executions", fmt.Sprintf("the workspace has %d executions that have not ended", l.most), 0)
}
