package holdings

import (
	"context"
	"errors"
	"fmt"

	"github.com/redline-svc/redline/bench/measure"
)

const (
	// neighbours hold so many sources of so many chunks each: a million in all.
	neighbours, neighbourSources, neighbourChunks = 250, 2, 2000
	neighbourGoal                                 = 1.3
	neighbourAsked, neighbourBlocks               = 2000, 5
)

// Neighbours compares searches in a workspace with one source before and after others
// hold a million chunks.
func Neighbours(ctx context.Context, s *Service) ([]measure.Row, error) {
	w, err := s.workspace(ctx, "alone")
	if err != nil {
		return nil, err
	}
	ask := func(ctx context.Context, i int) error {
		found, err := search(ctx, w, i)
		if err == nil && found == 0 {
			err = errors.New("a search found nothing")
		}
		return err
	}
	if _, err := measure.Spread(ctx, 1, neighbourAsked, ask); err != nil { // nothing is measured cold
		return nil, err
	}
	blocks := make([]measure.Pair, neighbourBlocks)
	for i := range blocks {
		took, err := measure.Spread(ctx, 1, neighbourAsked, ask)
		if err != nil {
			return nil, err
		}
		blocks[i].Against = took.P50()
	}
	if err := s.bringOthers(ctx); err != nil {
		return nil, err
	}
	for i := range blocks {
		took, err := measure.Spread(ctx, 1, neighbourAsked, ask)
		if err != nil {
			return nil, err
		}
		blocks[i].Measured = took.P50()
	}
	measured, against := measure.Medians(blocks)
	return []measure.Row{measure.AtMost(neighbourGoal, measure.Row{
		Name: fmt.Sprintf("search of a workspace with one source while %d others hold %d chunks, p50", neighbours, neighbours*neighbourSources*neighbourChunks),
		Unit: "ms", Measured: measured, What: "while they hold none", Against: against, Blocks: blocks,
	})}, nil
}

// bringOthers lets others bring their sources in, a few workspaces at a time.
func (s *Service) bringOthers(ctx context.Context) error {
	_, err := measure.Spread(ctx, 2, neighbours, func(ctx context.Context, _ int) error {
		w, err := s.workspace(ctx, "neighbour")
		for range neighbourSources {
			if err == nil {
				_, err = s.plant(ctx, w.ID, neighbourChunks)
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	if err := s.settle(ctx); err != nil {
		return err
	}
	_, err = s.Rows.Exec(ctx, `VACUUM ANALYZE sources, source_versions, chunks, vectors`)
	return err
}
