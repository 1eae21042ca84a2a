package documents

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/redline-svc/redline/bench/measure"
	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit/client"
)

const (
	// writers add annotations to the document while it is migrated.
	writers = 4
	// rounds is how often each document is migrated.
	rounds = 9
	// look is between two questions how a migration stands.
	look = 5 * time.Millisecond
)

// switches migrates a document with many annotations, judgments and sources, and one
// with few annotations, while callers write into it.
func (s Service) switches(ctx context.Context) ([]measure.Row, error) {
	for document, n := range map[string]int{full: fullRows, small: smallRows} {
		if err := s.fill(ctx, document, n); err != nil {
			return nil, err
		}
	}
	longest := map[string]measure.Pair{}
	var pairs []measure.Pair
	for _, document := range []string{full, small} {
		var during, before []time.Duration
		for round := range rounds {
			with, without, err := s.migrated(ctx, idOf(document, round), idOf(document, round+1))
			if err != nil {
				return nil, err
			}
			during, before = append(during, with), append(before, without)
			pairs = append(pairs, measure.Pair{Measured: float64(with.Microseconds()) / 1000, Against: float64(without.Microseconds()) / 1000})
		}
		longest[document] = measure.Pair{Measured: measure.Percentile(during, 50), Against: measure.Percentile(before, 50)}
	}
	note := fmt.Sprintf("median of %d migrations under %d writers", rounds, writers)
	return []measure.Row{
		measure.Below(switchGoal, measure.Row{
			Name: "longest write into a document with 100,000 annotations while it is migrated", Unit: "ms", Note: note, Blocks: pairs,
			Measured: longest[full].Measured, What: "as long without a migration", Against: longest[full].Against,
		}),
		measure.AtMost(switchRatio, measure.Row{
			Name: "the same", Unit: "ms", Measured: longest[full].Measured, Note: note,
			What: "with 1,000 annotations", Against: longest[small].Measured,
		}),
	}, nil
}

func idOf(document string, round int) string { return fmt.Sprintf("%s-%d", document, round) }

// fill makes a document with annotations, judgments and sources.
func (s Service) fill(ctx context.Context, document string, n int) error {
	id := idOf(document, 0)
	if err := s.annotate(ctx, "acme", id, true); err != nil {
		return err
	}
	if err := s.multiply(ctx, id, n); err != nil {
		return err
	}
	if err := s.call(ctx, "memory/knowledge/ingest", map[string]any{
		"source": "inline", "organizationId": "acme", "documentId": id,
		"file": map[string]any{"base64": "SGVsbG8=", "mimeType": "text/plain", "fileName": "hello.txt", "fileSize": 5},
	}); err != nil {
		return err
	}
	return s.exec(ctx,
		fmt.Sprintf(`INSERT INTO judgments OVERRIDING USER VALUE SELECT (jsonb_populate_record(j, jsonb_build_object('record_id', j.record_id || '-' || n, 'origin_id', j.origin_id || '-' || n))).*
FROM judgments j JOIN subjects s ON s.key = j.document_key AND s.id = '%s' CROSS JOIN generate_series(2, %d) n`, id, judgments),
		fmt.Sprintf(`INSERT INTO sources SELECT (jsonb_populate_record(o, jsonb_build_object('id', o.id || '-' || n))).*
FROM sources o JOIN subjects s ON s.key = o.document_key AND s.id = '%s' CROSS JOIN generate_series(2, %d) n`, id, sources),
		`VACUUM ANALYZE judgments, sources`)
}

// migrated migrates a document once and returns the longest write into it meanwhile,
// and the longest one of as long a time without a migration.
func (s Service) migrated(ctx context.Context, from, to string) (during, before time.Duration, err error) {
	var span time.Duration
	during, err = s.longestWrite(ctx, from, to, func() error {
		began := time.Now()
		err := s.migrate(ctx, from, to)
		span = time.Since(began)
		return err
	})
	if err != nil {
		return 0, 0, err
	}
	before, err = s.longestWrite(ctx, to, to, func() error {
		select {
		case <-time.After(span):
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	})
	return during, before, err
}

// migrate asks for a migration and waits for its end.
func (s Service) migrate(ctx context.Context, from, to string) error {
	accepted, err := client.Call[redline.MigrationIDResult](ctx, s.Workspace.Keyed, "organizations/documents/migrate",
		map[string]any{"organizationId": "acme", "documentId": from, "newDocumentId": to})
	for err == nil {
		var at redline.MigrationResult
		at, err = client.Call[redline.MigrationResult](ctx, s.Workspace.Keyed, "organizations/documents/migrate/status",
			map[string]any{"organizationId": "acme", "migrationId": accepted.Data.MigrationID})
		switch at.Data.Status {
		case "completed":
			return nil
		case "failed":
			return errors.New("the migration has failed")
		}
		time.Sleep(look)
	}
	return err
}

// longestWrite has callers write into a document under whichever of its ids it has,
// as long as the work goes on.
func (s Service) longestWrite(ctx context.Context, from, to string, work func() error) (longest time.Duration, err error) {
	var mu sync.Mutex
	var writing sync.WaitGroup
	var failed error
	over := make(chan struct{})
	for range writers {
		writing.Go(func() {
			for {
				took, err := s.write(ctx, from, to)
				mu.Lock()
				longest, failed = max(longest, took), errors.Join(failed, err)
				mu.Unlock()
				select {
				case <-over:
					return
				default:
				}
			}
		})
	}
	err = work()
	close(over)
	writing.Wait()
	return longest, errors.Join(err, failed)
}

// write adds one annotation and returns how long that took, the detour to the new id
// included.
func (s Service) write(ctx context.Context, from, to string) (time.Duration, error) {
	began := time.Now()
	err := s.annotate(ctx, "acme", from, false)
	if refused := redline.AsError(err); refused != nil && refused.Status == "NOT_FOUND" {
		err = s.annotate(ctx, "acme", to, false)
	}
	return time.Since(began), err
}
