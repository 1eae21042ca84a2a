package worker

import (
	"context"

	"github.com/redline-svc/redline/internal/pump"
)

// JudgmentIndexing brings judgments into the index that are owed to it
// (*indexing.Judgments).
type JudgmentIndexing interface {
	// Round works on some of what is owed and gives whether there may be more.
	Round(ctx context.Context) (more bool, err error)
}

// indexJudgments works on what is owed to the index of judgments until ctx ends: at once
// when it is woken, and now and then on whatever is due. It does not need Temporal: the rows
// say what is owed.
func (w *Worker) indexJudgments(ctx context.Context, p *pump.Pump) {
	p.Wake()
	failing := false
	p.Run(ctx, func(ctx context.Context) bool {
		more, err := w.o.JudgmentIndexing.Round(ctx)
		if err != nil && ctx.Err() == nil && !failing {
			w.o.Log.WarnContext(ctx, "judgments could not be brought into the index; it is tried again", "error", err)
		}
		failing = err != nil
		return more
	})
}
