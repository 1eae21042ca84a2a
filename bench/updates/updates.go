package updates

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/redline-svc/redline/bench/measure"
	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit/client"
)

const (
	// paragraphs has the text, of which one is changed in each round.
	paragraphs, rounds = 500, 15
	// statusPause is between two looks whether the source is brought in.
	statusPause = 250 * time.Millisecond
	// goal is in milliseconds, embedGoal in texts.
	goal, embedGoal = 1000, 3
)

// book is a source whose text changes.
type book struct {
	workspace *client.Workspace
	rows      *pgxpool.Pool
	text      []string
	source    string
	most      int
}

// Measure returns the rows of this package.
func Measure(ctx context.Context, workspace *client.Workspace, rows *pgxpool.Pool) ([]measure.Row, error) {
	b := &book{workspace: workspace, rows: rows, text: make([]string, paragraphs)}
	for i := range b.text {
		b.text[i] = fmt.Sprintf("Part %d of the mill turns with the wheel. It must be oiled every %d days. %s", i, i+2,
			strings.Repeat("The miller watches it from the bridge. ", i%7))
	}
	if err := b.bringIn(ctx); err != nil {
		return nil, err
	}
	var took []time.Duration
	for round := range rounds {
		one, err := b.change(ctx, round)
		if err != nil {
			return nil, err
		}
		took = append(took, one)
	}
	return []measure.Row{
		measure.Below(goal, measure.Row{
			Name: "update of one paragraph in a text of 500, answered and live, p50", Unit: "ms", Measured: measure.Percentile(took, 50),
			What: "the same, p95", Against: measure.Percentile(took, 95),
		}),
		measure.Below(embedGoal, measure.Row{
			Name: "texts embedded for it, the most of all rounds", Unit: "texts", Measured: float64(b.most), What: "paragraphs", Against: paragraphs,
		}),
	}, nil
}

// status is how the newest version of a source stands.
type status struct {
	Status      string
	Version     int
	LiveVersion *int
}

func (b *book) status(ctx context.Context) (status, error) {
	return client.Call[status](ctx, b.workspace.Keyed, "memory/knowledge/ingest-status", map[string]any{"sourceId": b.source})
}

func (b *book) bringIn(ctx context.Context) error {
	content := []byte(strings.Join(b.text, "\n\n"))
	accepted, err := client.Call[redline.IngestResult](ctx, b.workspace.Keyed, "memory/knowledge/ingest", map[string]any{
		"source": "inline", "file": map[string]any{
			"base64": base64.StdEncoding.EncodeToString(content), "mimeType": "text/plain", "fileName": "mill.txt", "fileSize": len(content),
		},
	})
	if err != nil {
		return err
	}
	b.source = accepted.SourceID
	return measure.Every(ctx, statusPause, func() (bool, error) {
		found, err := b.status(ctx)
		return found.Status == "completed", err
	})
}

// embedded counts the texts that the workspace has vectors of.
func (b *book) embedded(ctx context.Context) (count int, err error) {
	err = b.rows.QueryRow(ctx, `SELECT count(*) FROM vectors WHERE workspace_id = $1`, b.workspace.ID).Scan(&count)
	return count, err
}

var errNotLive = errors.New("an update was answered before its version was live")

// change rewords a paragraph, a different one in each round, and returns how long it took
// to be answered, which is when it is live.
func (b *book) change(ctx context.Context, round int) (time.Duration, error) {
	at := (round*paragraphs + paragraphs/2) / rounds
	b.text[at] = fmt.Sprintf("Part %d of the mill turns with the wheel. It must be oiled at least every hour of week %d.", at, round)
	before, err := b.embedded(ctx)
	if err != nil {
		return 0, err
	}
	began := time.Now()
	_, err = client.Call[redline.UpdateResult](ctx, b.workspace.Keyed, "memory/knowledge/update", map[string]any{
		"sourceId": b.source, "newContent": strings.Join(b.text, "\n\n"),
	})
	took := time.Since(began)
	if err != nil {
		return 0, err
	}
	found, err := b.status(ctx)
	if err == nil && (found.LiveVersion == nil || *found.LiveVersion != found.Version) {
		err = errNotLive
	}
	if err != nil {
		return 0, err
	}
	after, err := b.embedded(ctx)
	b.most = max(b.most, after-before)
	return took, err
}
