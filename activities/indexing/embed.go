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

// turnBytes is how much text a version has embedded before the next one has its
// turn: seconds of the model's time.
const turnBytes = 256 << 10

// position is how far the texts of a version have been given to the model. A text
// that was given is not given again: its vector is on its way, or stored.
type position struct {
	corpora []vector.Corpus
	from    int
	given   map[string]bool
}

// Embed makes the vectors of the generation's model that are missing, in
// batches, turn by turn with other versions. What waits for its turn holds neither
// a slot nor texts.
func (w *Version) Embed(ctx context.Context, model embed.Embedder) error {
	w.Slots.Release(w.Ref.WorkspaceID)
	defer w.Slots.Resume(w.Ref.WorkspaceID)
	at := &position{corpora: vector.Corpora, given: map[string]bool{}}
	for len(at.corpora) > 0 {
		if err := w.Turns.Acquire(ctx, w.Ref.WorkspaceID); err != nil {
			return err
		}
		err := w.embedTurn(ctx, model, at)
		w.Turns.Release(w.Ref.WorkspaceID)
		if err != nil {
			return err
		}
	}
	return nil
}

// embedTurn embeds the next texts. While the model works on a batch, the next is
// read and the one before is stored, so that the model never waits for the rows.
func (w *Version) embedTurn(ctx context.Context, model embed.Embedder, at *position) error {
	read, made := make(chan textBatch), make(chan textBatch)
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		defer close(read)
		return w.readTexts(ctx, model, at, read)
	})
	group.Go(func() error {
		defer close(made)
		return makeVectors(ctx, model, read, made)
	})
	group.Go(func() error { return w.storeVectors(ctx, made) })
	return group.Wait()
}

// readTexts gives the rows without a vector, batch by batch, until the turn ends.
func (w *Version) readTexts(ctx context.Context, model embed.Embedder, at *position, to chan<- textBatch) error {
	for bytes := 0; bytes < turnBytes && len(at.corpora) > 0; {
		batch, err := w.nextTexts(ctx, model, at)
		if err != nil {
			return err
		}
		if len(batch.rows) == 0 {
			at.corpora, at.from = at.corpora[1:], 0
			continue
		}
		if err := pass(ctx, to, batch); err != nil {
			return err
		}
		at.from = batch.rows[len(batch.rows)-1].Ordinal + 1
		for _, text := range batch.texts {
			bytes += len(text)
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

func (w *Version) nextTexts(ctx context.Context, model embed.Embedder, at *position) (textBatch, error) {
	if err := w.Slots.Acquire(ctx, w.Ref.WorkspaceID); err != nil {
		return textBatch{}, err
	}
	defer w.Slots.Release(w.Ref.WorkspaceID)
	batch := textBatch{corpus: at.corpora[0]}
	rows, err := w.Rows.Unembedded(ctx, w.Ref, w.Generation.Model, batch.corpus, at.from, embedBatch)
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
		if key := string(hash); !known[key] && !at.given[key] {
			at.given[key] = true
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
		if err := w.Slots.Acquire(ctx, w.Ref.WorkspaceID); err != nil {
			return err
		}
		err := w.Rows.StoreVectors(ctx, w.Ref, w.Generation.Model, batch.corpus, batch.rows)
		w.Slots.Release(w.Ref.WorkspaceID)
		if err != nil {
			return err
		}
	}
	return nil
}
