package worker

import (
	"context"

	"github.com/redline-svc/redline/models/queue"
)

// JudgmentIndexing is what is done with the index of judgments (*indexing.Judgments), and what
// became of each of the rows that were claimed.
type JudgmentIndexing interface {
	// BringIn brings judgments into the index.
	BringIn(ctx context.Context, claimed []queue.Claimed) ([]queue.Outcome, error)
	// TakeOut removes from it judgments that were removed.
	TakeOut(ctx context.Context, claimed []queue.Claimed) ([]queue.Outcome, error)
}
