package main

import (
	"context"
	"fmt"
	"os"

	"github.com/redline-svc/redline/bench/corpus"
	"github.com/redline-svc/redline/bench/measure"
	"github.com/redline-svc/redline/tests/kit/client"
)

const (
	// largeText and smallText are sizes in bytes, each less a part of a line.
	largeText, smallText = 1 << 20, 10_000
	smallTexts           = 30
	ingestBlocks         = 3
)

// benchIngest brings a large text in with the local model, right behind it many
// small ones; then both by themselves, and the large one again, whose vectors are
// known by then. What the small ones wait because of the large one is how much
// later the last of them is done with it than without.
func benchIngest(ctx context.Context, r *rig) ([]measure.Row, error) {
	texts, err := corpus.LargeAndSmall(largeText, smallText, smallTexts)
	if err != nil {
		return nil, err
	}
	var beside, alone, waited []measure.Pair
	var large ingestion
	for range ingestBlocks {
		b, err := r.ingestBlock(ctx, texts)
		if err != nil {
			return nil, err
		}
		large = b.large
		beside = append(beside, measure.Pair{Measured: b.beside, Against: b.alone})
		alone = append(alone, measure.Pair{Measured: b.alone, Against: b.known})
		waited = append(waited, measure.Pair{Measured: b.behind - b.small, Against: b.small})
		fmt.Fprintf(os.Stderr, "  large with the small ones %.1f, alone %.1f, known %.1f; small ones behind it %.1f, without it %.1f s\n",
			b.beside, b.alone, b.known, b.behind, b.small)
	}
	size := fmt.Sprintf("%d chunks and %d rules", large.ChunkCount, large.ExtractedRulesCount)
	return []measure.Row{
		ingestRow(60, measure.Row{
			Name: "ingest of 1 MiB of text, local model, 30 texts of 10 KB beside it, completed", What: "without them", Blocks: beside, Note: size,
		}),
		ingestRow(60, measure.Row{
			Name: "ingest of 1 MiB of text, local model, alone, completed", What: "the same again, its vectors known", Blocks: alone, Note: size,
		}),
		ingestRow(10, measure.Row{
			Name: "30 texts of 10 KB right behind it: what the last one completed waits because of it", What: "its time without it", Blocks: waited,
		}),
	}, nil
}

func ingestRow(goal float64, r measure.Row) measure.Row {
	r.Unit = "s"
	r.Measured, r.Against = measure.Medians(r.Blocks)
	return measure.Below(goal, r)
}

// ingestBlock are the seconds of one block: of the large text beside the small
// ones, alone, and once more with known vectors; of the last of the small ones
// behind the large one, and without it.
type ingestBlock struct {
	beside, alone, known float64
	behind, small        float64
	large                ingestion
}

func (r *rig) ingestBlock(ctx context.Context, texts []string) (ingestBlock, error) {
	var b ingestBlock
	for _, part := range []struct {
		texts []string
		take  func([]ingestion)
	}{
		{texts, func(ended []ingestion) { b.beside, b.behind = ended[0].seconds(), slowest(ended[1:]) }},
		{texts[1:], func(ended []ingestion) { b.small = slowest(ended) }},
		{texts[:1], func(ended []ingestion) { b.alone, b.large = ended[0].seconds(), ended[0] }},
	} {
		if err := r.quiet(ctx); err != nil {
			return b, err
		}
		w, err := client.CreateWorkspace(ctx, r.serve.URL, measure.Unique("ingest")+"@bench.example.com")
		if err != nil {
			return b, err
		}
		ended, err := r.ingestAll(ctx, w, part.texts)
		if err != nil {
			return b, err
		}
		part.take(ended)
		if len(part.texts) > 1 {
			continue
		}
		again, err := r.ingestAll(ctx, w, part.texts)
		if err != nil {
			return b, err
		}
		b.known = again[0].seconds()
	}
	return b, nil
}

// ingestAll brings texts into a workspace, the first by itself, the others as
// soon as it is accepted, and returns their ends in the order of the texts.
func (r *rig) ingestAll(ctx context.Context, w *client.Workspace, texts []string) ([]ingestion, error) {
	sources := make([]string, len(texts))
	var err error
	if sources[0], err = accept(ctx, w, []byte(texts[0]), corpus.PlainText); err != nil {
		return nil, err
	}
	if _, err := measure.Spread(ctx, measure.Callers, len(texts)-1, func(ctx context.Context, i int) (err error) {
		sources[i+1], err = accept(ctx, w, []byte(texts[i+1]), corpus.PlainText)
		return err
	}); err != nil {
		return nil, err
	}
	ended := make([]ingestion, len(sources))
	for i, source := range sources {
		if ended[i], err = r.ended(ctx, w, source, "completed"); err != nil {
			return nil, err
		}
	}
	return ended, nil
}

// slowest of ingestions in seconds.
func slowest(all []ingestion) float64 {
	most := 0.0
	for _, one := range all {
		most = max(most, one.seconds())
	}
	return most
}
