package main

import (
	"context"
	"fmt"

	"github.com/redline-svc/redline/bench/corpus"
	"github.com/redline-svc/redline/bench/measure"
	"github.com/redline-svc/redline/tests/kit/client"
)

// benchFaultyFiles sends files in that cannot be converted, with a sound one
// behind them, and compares the slowest of their ends with the sound one's.
func benchFaultyFiles(ctx context.Context, r *rig) ([]measure.Row, error) {
	files, sound, err := corpus.FaultyFiles()
	if err != nil {
		return nil, err
	}
	// One of its own: the library is put together in the other.
	w, err := client.CreateWorkspace(ctx, r.serve.URL, measure.Unique("faulty")+"@bench.example.com")
	if err != nil {
		return nil, err
	}
	sources := make([]string, len(files))
	for i, file := range files {
		if sources[i], err = accept(ctx, w, file.Content, file.MIMEType); err != nil {
			return nil, err
		}
	}
	last, err := accept(ctx, w, sound, corpus.PDF)
	if err != nil {
		return nil, err
	}
	failed := make([]ingestion, len(files))
	for i, file := range files {
		if failed[i], err = r.ended(ctx, w, sources[i], "failed"); err != nil {
			return nil, err
		}
		if failed[i].FailureReason != file.Reason {
			return nil, fmt.Errorf("a file should fail for %s and fails for %s", file.Reason, failed[i].FailureReason)
		}
	}
	whole, err := r.ended(ctx, w, last, "completed")
	return []measure.Row{measure.Below(60, measure.Row{
		Name: "encrypted, truncated, scanned and blank files failed, the slowest", Unit: "s", Measured: slowest(failed),
		What: "a sound file behind them completed", Against: whole.seconds(),
	})}, err
}
