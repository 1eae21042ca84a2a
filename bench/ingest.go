package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/redline-svc/redline/tests/client"
)

const (
	// largeText and smallText are sizes in bytes, each less a part of a line.
	largeText, smallText = 1 << 20, 10_000
	smallTexts           = 30
	ingestBlocks         = 3
)

// benchIngest brings a large text in with the local model, right behind it many
// small ones, and compares the large one with the same again, whose vectors are
// known, and the small ones with the same without anything before them.
func benchIngest(ctx context.Context, r *rig) ([]row, error) {
	texts, err := ingestTexts()
	if err != nil {
		return nil, err
	}
	var whole, behind []pair
	var large ingestion
	for range ingestBlocks {
		if err := r.quiet(ctx); err != nil {
			return nil, err
		}
		crowd, err := r.ingestAll(ctx, texts)
		if err != nil {
			return nil, err
		}
		alone, err := r.ingestAll(ctx, texts[1:])
		if err != nil {
			return nil, err
		}
		large = crowd.ended[0]
		whole = append(whole, pair{large.seconds(), crowd.again})
		behind = append(behind, pair{slowest(crowd.ended[1:]), slowest(alone.ended)})
		fmt.Fprintf(os.Stderr, "  large and known %.1f, small behind and alone %.1f s\n", whole[len(whole)-1], behind[len(behind)-1])
	}
	return []row{
		ingestRow(60, row{
			Name: "ingest of 1 MiB of text, local model, completed", What: "the same again, its vectors known", Blocks: whole,
			Note: fmt.Sprintf("%d chunks and %d rules", large.ChunkCount, large.ExtractedRulesCount),
		}),
		ingestRow(10, row{
			Name: "30 texts of 10 KB ingested right behind it, the last one completed", What: "without it", Blocks: behind,
		}),
	}, nil
}

func ingestRow(goal float64, r row) row {
	r.Unit = "s"
	r.Measured, r.Against = medians(r.Blocks)
	return below(goal, r)
}

// ingestTexts are the large one and the small ones.
func ingestTexts() ([]string, error) {
	files, err := realText()
	if err != nil {
		return nil, err
	}
	text := strings.Join(files, "")
	if len(text) < largeText+smallTexts*smallText {
		return nil, fmt.Errorf("there is only text of %d bytes", len(text))
	}
	var texts []string
	for size := largeText; len(texts) <= smallTexts; size = smallText {
		lines := text[:strings.LastIndexByte(text[:size], '\n')+1]
		texts, text = append(texts, lines), text[len(lines):]
	}
	return texts, nil
}

// ingested are the ends of sources, in the order of their texts; again is how
// many seconds the first text took when it came once more.
type ingested struct {
	ended []ingestion
	again float64
}

// ingestAll brings texts into a workspace of their own, where no vector is known
// yet: the first by itself, the others as soon as it is accepted.
func (r *rig) ingestAll(ctx context.Context, texts []string) (ingested, error) {
	w, err := client.CreateWorkspace(ctx, r.serve.URL, unique("ingest")+"@bench.example.com")
	if err != nil {
		return ingested{}, err
	}
	sources := make([]string, len(texts))
	if sources[0], err = accept(ctx, w, []byte(texts[0]), plainText); err != nil {
		return ingested{}, err
	}
	if _, err := spread(ctx, callers, len(texts)-1, func(ctx context.Context, i int) (err error) {
		sources[i+1], err = accept(ctx, w, []byte(texts[i+1]), plainText)
		return err
	}); err != nil {
		return ingested{}, err
	}
	all := ingested{}
	for _, source := range sources {
		one, err := r.ended(ctx, w, source, "completed")
		if err != nil {
			return ingested{}, err
		}
		all.ended = append(all.ended, one)
	}
	again, err := accept(ctx, w, []byte(texts[0]), plainText)
	if err != nil {
		return ingested{}, err
	}
	repeated, err := r.ended(ctx, w, again, "completed")
	all.again = repeated.seconds()
	return all, err
}

// slowest of ingestions in seconds.
func slowest(all []ingestion) float64 {
	most := 0.0
	for _, one := range all {
		most = max(most, one.seconds())
	}
	return most
}
