package holdings

import (
	"context"
	"fmt"
	"time"

	"github.com/redline-svc/redline/bench/measure"
	"github.com/redline-svc/redline/tests/kit/client"
)

const (
	// rebuiltSources are in one workspace, each of rebuiltChunks.
	rebuiltSources, rebuiltChunks = 100, 1000
	// rebuildGoal is in seconds.
	rebuildGoal = 300
)

// Rebuild measures how long it takes to build the index again from the stored vectors,
// while searches are asked one after the other: each must be answered by the index. Before
// and after, what only one of thirty sources says is looked for among all the others.
func Rebuild(ctx context.Context, s *Service) ([]measure.Row, error) {
	w, err := s.workspace(ctx, "rebuild")
	if err != nil {
		return nil, err
	}
	var held []string
	for range rebuiltSources {
		source, err := s.plant(ctx, w.ID, rebuiltChunks)
		if err != nil {
			return nil, err
		}
		held = append(held, source)
	}
	if err := s.settle(ctx); err != nil {
		return nil, err
	}
	only, err := newMatches(ctx, w, held[:otherSources])
	if err != nil {
		return nil, err
	}
	if err := only.look(ctx); err != nil {
		return nil, err
	}
	if _, err := asked(ctx, w); err != nil { // the model is not measured
		return nil, err
	}
	before, err := asked(ctx, w)
	if err != nil {
		return nil, err
	}
	took, meanwhile, err := s.rebuild(ctx, w)
	if err != nil {
		return nil, err
	}
	if err := only.look(ctx); err != nil {
		return nil, err
	}
	return []measure.Row{only.row(), measure.Below(rebuildGoal, measure.Row{
		Name: fmt.Sprintf("rebuild of %d chunks from stored vectors", rebuiltSources*rebuiltChunks), Unit: "s", Measured: took.Seconds(),
		What: "the goal", Against: rebuildGoal,
		Note: fmt.Sprintf("%d searches meanwhile, all answered by the index, p50 %.1f ms, p95 %.1f ms; before p50 %.1f ms, p95 %.1f ms", len(meanwhile),
			measure.Percentile(meanwhile, 50), measure.Percentile(meanwhile, 95), measure.Percentile(before, 50), measure.Percentile(before, 95)),
	})}, nil
}

// questions are asked before the index is built again.
const questions = 500

func asked(ctx context.Context, w *client.Workspace) ([]time.Duration, error) {
	took, err := measure.Spread(ctx, 1, questions, func(ctx context.Context, i int) error { return searched(ctx, w, i) })
	return took.Took, err
}

// searched is a search that finds as much as it may.
func searched(ctx context.Context, w *client.Workspace, i int) error {
	found, err := search(ctx, w, i)
	if err == nil && found != 10 {
		err = fmt.Errorf("a search found %d", found)
	}
	return err
}

// rebuild runs the command and searches until it has ended.
func (s *Service) rebuild(ctx context.Context, w *client.Workspace) (took time.Duration, searches []time.Duration, err error) {
	ended := make(chan error, 1)
	began := time.Now()
	go func() {
		_, err := s.Run(ctx, "admin", "index", "rebuild", "--as=bench")
		took = time.Since(began)
		ended <- err
	}()
	for i := 0; ; i++ {
		select {
		case err := <-ended:
			return took, searches, err
		default:
		}
		asked := time.Now()
		if err := searched(ctx, w, i); err != nil {
			return 0, nil, fmt.Errorf("while the index is built again: %w", err)
		}
		searches = append(searches, time.Since(asked))
	}
}
