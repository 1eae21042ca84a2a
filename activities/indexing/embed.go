package indexing

import (
	"context"
	"crypto/sha256"

	"golang.org/x/sync/errgroup"

	"github.com/redline-svc/redline/activities"
	"github.com/redline-svc/redline/internal/embed"
	"github.com/redline-svc/redline/models/knowledge"
	"github.com/redline-svc/redline/models/vector"
)

// embedBatch is how many texts are embedded between two looks whether to stop.
const embedBatch = 64

// textBatch are rows of a corpus on their way to their vectors.
type textBatch struct {
	corpus vector.Corpus
	rows   []knowledge.Embedded
	// texts are those without a vector, at says of which rows they are.
	texts []string
	at    []int
}

// Embed makes the vectors of the generation's model that are missing, in
// batches. While the model works on one, the next is read and the one before is
// stored, so that the model never waits for the rows.
func (w *Version) Embed(ctx context.Context, model embed.Embedder) error {
	w.Slots.Release()
	defer w.Slots.Resume()
	read, made := make(chan textBatch), make(chan textBatch)
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		defer close(read)
		return w.readTexts(ctx, model, read)
	})
	group.Go(func() error {
		defer close(made)
		return makeVectors(ctx, model, read, made)
	})
	group.Go(func() error { return w.storeVectors(ctx, made) })
	return group.Wait()
}

// readTexts gives the rows without a vector, batch by batch. A text that was
// given is not given again: its vector is on its way.
func (w *Version) readTexts(ctx context.Context, model embed.Embedder, to chan<- textBatch) error {
	given := map[string]bool{}
	for _, corpus := range vector.Corpora {
		for from := 0; ; {
			batch, err := w.nextTexts(ctx, model, corpus, from, given)
			if err != nil {
				return err
			}
			if len(batch.rows) == 0 {
				break
			}
			if err := pass(ctx, to, batch); err != nil {
				return err
			}
			from = batch.rows[len(batch.rows)-1].Ordinal + 1
		}
	}
	return nil
}

func pass(ctx context.Context, to chan<- textBatch, batch textBatch) error {
	select {
	case to <- batch:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (w *Version) nextTexts(ctx context.Context, model embed.Embedder, corpus vector.Corpus, from int, given map[string]bool) (textBatch, error) {
	if err := w.Slots.Acquire(ctx); err != nil {
		return textBatch{}, err
	}
	defer w.Slots.Release()
	batch := textBatch{corpus: corpus}
	rows, err := w.Rows.Unembedded(ctx, w.Ref, w.Generation.Model, corpus, from, embedBatch)
	if err != nil || len(rows) == 0 {
		return batch, err
	}
	texts, hashes := make([]string, len(rows)), make([][]byte, len(rows))
	for n, row := range rows {
		texts[n] = embed.Fit(model, row.Path, row.Content)
		if hashes[n] = row.Hash; len(row.Hash) == 0 {
			hash := sha256.Sum256([]byte(texts[n]))
			hashes[n] = hash[:]
		}
		batch.rows = append(batch.rows, knowledge.Embedded{Ordinal: row.Ordinal, Hash: hashes[n]})
	}
	known, err := w.Rows.KnownVectors(ctx, w.Ref.WorkspaceID, w.Generation.Model, hashes)
	for n, hash := range hashes {
		if key := string(hash); !known[key] && !given[key] {
			given[key] = true
			batch.texts, batch.at = append(batch.texts, texts[n]), append(batch.at, n)
		}
	}
	return batch, err
}

// makeVectors asks the model, one batch after the other.
func makeVectors(ctx context.Context, model embed.Embedder, from <-chan textBatch, to chan<- textBatch) error {
	for batch := range from {
		vectors, err := embedUntilStop(ctx, model, batch.texts)
		if err != nil {
			return err
		}
		for n, at := range batch.at {
			batch.rows[at].Vector = vectors[n]
		}
		if err := pass(ctx, to, batch); err != nil {
			return err
		}
	}
	return nil
}

// embedUntilStop also ends with the worker: behind many others a model may take
// long to answer.
func embedUntilStop(ctx context.Context, model embed.Embedder, texts []string) ([][]float32, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	own, cancel := activities.UntilStop(ctx)
	defer cancel()
	vectors, err := model.Embed(own, texts, embed.Passage)
	if stopped := activities.Stopping(ctx); err != nil && stopped != nil {
		return nil, stopped
	}
	return vectors, err
}

func (w *Version) storeVectors(ctx context.Context, from <-chan textBatch) error {
	for batch := range from {
		if err := w.Slots.Acquire(ctx); err != nil {
			return err
		}
		err := w.Rows.StoreVectors(ctx, w.Ref, w.Generation.Model, batch.corpus, batch.rows)
		w.Slots.Release()
		if err != nil {
			return err
		}
	}
	return nil
}
