package main

import (
	"context"
	"encoding/base64"
	"fmt"
	"time"

	"github.com/redline-svc/redline/bench/measure"
	"github.com/redline-svc/redline/tests/kit/client"
)

// statusPause is how often a source's status is asked: the answer has the time at
// which its work ended, so it need not be asked more often than a client would, which
// would take a part of the processor.
const statusPause = 250 * time.Millisecond

// ingestion is the status of a source whose work has ended.
type ingestion struct {
	Status, FailureReason string
	// StartedAt is when the source was accepted, UpdatedAt when its work ended,
	// both in milliseconds.
	StartedAt, UpdatedAt            int64
	ChunkCount, ExtractedRulesCount int
}

// seconds from the acceptance to the end.
func (i ingestion) seconds() float64 { return float64(i.UpdatedAt-i.StartedAt) / 1000 }

// accept sends a file in and returns the id of its source.
func accept(ctx context.Context, w *client.Workspace, content []byte, mimeType string) (string, error) {
	type accepted struct{ SourceID string }
	answer, err := client.Call[accepted](ctx, w.Keyed, "memory/knowledge/ingest", map[string]any{"source": "inline", "file": map[string]any{
		"base64": base64.StdEncoding.EncodeToString(content), "mimeType": mimeType, "fileName": "real.txt", "fileSize": len(content),
	}})
	return answer.SourceID, err
}

// ended waits until the work on a source has ended as it should.
func (r *rig) ended(ctx context.Context, w *client.Workspace, source, status string) (ingestion, error) {
	var last ingestion
	err := measure.Every(ctx, statusPause, func() (bool, error) {
		var err error
		last, err = client.Call[ingestion](ctx, w.Keyed, "memory/knowledge/ingest-status", map[string]any{"sourceId": source})
		return last.Status != "processing", err
	})
	if err == nil && last.Status != status {
		err = fmt.Errorf("an ingest should be %s and is %s: %s", status, last.Status, last.FailureReason)
	}
	return last, err
}
