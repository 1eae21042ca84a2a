package worker

import (
	"context"
	"log/slog"
	"time"

	"github.com/redline-svc/redline/internal/pump"
	"github.com/redline-svc/redline/models/knowledge"
)

const (
	// claimedVersions is how many versions one look claims.
	claimedVersions = 32
	// sweepIngestionsEvery is how often what is left over is removed.
	sweepIngestionsEvery = 20 * time.Second
)

// Versions are the rows of sources in work (*knowledge.Knowledge).
type Versions interface {
	// ClaimVersions claims versions for which the engine is to be asked for a run, of
	// workspaces in turn, from the one behind after on; they are due again after half
	// a minute until they have ended.
	ClaimVersions(ctx context.Context, after string, limit int) (claimed []knowledge.VersionRef, last string, err error)
	// VersionBack makes one due at once.
	VersionBack(ctx context.Context, v knowledge.VersionRef) error
}

// startVersion asks the engine for the run of a version.
type startVersion func(ctx context.Context, v knowledge.VersionRef) error

// ingestionStarter asks the engine for the runs of versions in work.
type ingestionStarter struct {
	rows Versions
	work IngestionActivities
	log  *slog.Logger
	pump *pump.Pump
}

func newIngestionStarter(rows Versions, work IngestionActivities, log *slog.Logger) *ingestionStarter {
	return &ingestionStarter{rows: rows, work: work, log: log, pump: pump.New(pollEvery)}
}

// run asks for runs at once, whenever it is woken, and now and then whatever is
// due, until ctx ends.
func (t *ingestionStarter) run(ctx context.Context, start startVersion) {
	t.pump.Wake()
	last := ""
	t.pump.Run(ctx, func(ctx context.Context) bool { return t.startSome(ctx, &last, start) })
}

// sweep removes what ingestions left over, until ctx ends. It runs beside the
// starts, which must not wait for an index that is slow.
func (t *ingestionStarter) sweep(ctx context.Context) {
	pump.New(sweepIngestionsEvery).Run(ctx, func(ctx context.Context) bool {
		t.warn(ctx, "what ingestions left over could not be removed", t.work.Sweep(ctx))
		return false
	})
}

// startSome claims versions, of workspaces behind last, and asks for their runs. When
// the engine takes none the rest is released. It gives true when there may be more.
func (t *ingestionStarter) startSome(ctx context.Context, last *string, start startVersion) (more bool) {
	own, cancel := context.WithTimeout(ctx, rowsLimit)
	defer cancel()
	claimed, next, err := t.rows.ClaimVersions(own, *last, claimedVersions)
	t.warn(ctx, "versions could not be claimed", err)
	*last = next
	for i, v := range claimed {
		if err := start(ctx, v); err != nil {
			t.warn(ctx, "the run of a version could not be started", err)
			t.release(ctx, claimed[i:])
			return false
		}
	}
	return len(claimed) > 0
}

func (t *ingestionStarter) release(ctx context.Context, claimed []knowledge.VersionRef) {
	own, cancel := context.WithTimeout(context.WithoutCancel(ctx), rowsLimit)
	defer cancel()
	for _, v := range claimed {
		t.warn(ctx, "a version could not be given back", t.rows.VersionBack(own, v))
	}
}

func (t *ingestionStarter) warn(ctx context.Context, text string, err error) {
	if err != nil && ctx.Err() == nil {
		t.log.WarnContext(ctx, text, "error", err)
	}
}
