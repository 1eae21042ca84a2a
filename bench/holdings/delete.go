package holdings

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/redline-svc/redline/bench/bare"
	"github.com/redline-svc/redline/bench/measure"
	"github.com/redline-svc/redline/tests/kit/client"
)

const (
	deletedChunks = 20_000
	// deletes are measured, one after the other.
	deletes = 3
	// answeredGoal is in milliseconds, goneGoal in seconds.
	answeredGoal, goneGoal = 100, 60
)

// Delete measures how soon the deletion of a large source is answered, and how soon
// nothing of it is left in the rows and in the index. From the answer on no search may
// find it.
func Delete(ctx context.Context, s *Service) ([]measure.Row, error) {
	var answered, gone []time.Duration
	for range deletes {
		w, err := s.workspace(ctx, "delete")
		if err != nil {
			return nil, err
		}
		source, err := s.plant(ctx, w.ID, deletedChunks)
		if err != nil {
			return nil, err
		}
		if err := s.settle(ctx); err != nil {
			return nil, err
		}
		began := time.Now()
		if _, err := client.Call[json.RawMessage](ctx, w.Keyed, "memory/knowledge/delete", map[string]any{"sourceId": source}); err != nil {
			return nil, err
		}
		answered = append(answered, time.Since(began))
		if err := s.away(ctx, w, source); err != nil {
			return nil, err
		}
		gone = append(gone, time.Since(began))
	}
	name := fmt.Sprintf("delete of a source of %d chunks, ", deletedChunks)
	return []measure.Row{
		measure.Below(answeredGoal, measure.Row{
			Name: name + "answered, p50", Unit: "ms", Measured: measure.Percentile(answered, 50),
			What: "the slowest", Against: measure.Percentile(answered, 100),
		}),
		measure.Below(goneGoal, measure.Row{
			Name: name + "gone from rows and index, the slowest", Unit: "s", Measured: measure.Percentile(gone, 100) / 1000,
			What: "the fastest", Against: measure.Percentile(gone, 0) / 1000,
		}),
	}, nil
}

// leftRows counts what the rows hold of a source, and vectors that only its chunks used.
const leftRows = `
SELECT (SELECT count(*) FROM sources WHERE workspace_id = $1 AND id = $2) + (SELECT count(*) FROM source_versions WHERE workspace_id = $1 AND source_id = $2)
     + (SELECT count(*) FROM chunks WHERE workspace_id = $1 AND source_id = $2)
     + (SELECT count(*) FROM vectors v WHERE workspace_id = $1 AND NOT EXISTS (SELECT FROM chunks c WHERE c.workspace_id = $1 AND c.text_hash = v.text_hash)
       AND NOT EXISTS (SELECT FROM rules c WHERE c.workspace_id = $1 AND c.text_hash = v.text_hash))`

// away waits until neither rows nor index hold anything of a source.
func (s *Service) away(ctx context.Context, w *client.Workspace, source string) error {
	found, err := client.Call[answer](ctx, w.Keyed, "memory/knowledge/search", map[string]any{"query": "Who opens the gate?", "sourceId": source})
	if err == nil && len(found.Results) > 0 {
		err = errors.New("a search finds a source that is deleted")
	}
	if err != nil {
		return err
	}
	var suffix string
	if err := s.Rows.QueryRow(ctx, `SELECT suffix FROM index_generations WHERE state = 'serving'`).Scan(&suffix); err != nil {
		return err
	}
	return measure.Every(ctx, statusPause, func() (bool, error) {
		var left int
		if err := s.Rows.QueryRow(ctx, leftRows, w.ID, source).Scan(&left); err != nil || left > 0 {
			return false, err
		}
		held, err := bare.Holds(ctx, s.Env["REDLINE_WEAVIATE_ADDR"], "RedlineChunks"+suffix, w.ID, "version", source+"/1")
		return !held, err
	})
}
