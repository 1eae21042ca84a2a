package indexing

import (
	"context"
	"crypto/sha256"

	"github.com/redline-svc/redline/activities"
	"github.com/redline-svc/redline/internal/embed"
	"github.com/redline-svc/redline/models/knowledge"
	"github.com/redline-svc/redline/models/vector"
)

// textsAtOnce is how many texts are embedded between two looks whether to stop.
const textsAtOnce = 64

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

// position is how far the texts of a version have got.
type position struct {
	corpora []vector.Corpus
	from    int
}

// Embed makes the vectors of the generation's model that are missing, in
// batches, turn by turn with other versions. What waits for its turn holds neither
// a slot nor texts.
func (w *Version) Embed(ctx context.Context, model embed.Embedder) error {
	defer activities.GiveBack(ctx, w.Slots, w.Ref.WorkspaceID)()
	at := &position{corpora: vector.Corpora}
	for len(at.corpora) > 0 {
		if err := activities.Acquire(ctx, w.Turns, w.Ref.WorkspaceID); err != nil {
			return err
		}
		err := w.embedTurn(ctx, model, at)
		w.Turns.Release(w.Ref.WorkspaceID, 1)
		if err != nil {
			return err
		}
	}
	return nil
}

// embedTurn embeds texts, batch by batch, until the turn ends. To read and store
// beside the model would save a thirtieth of the time of a text of 1 MiB.
func (w *Version) embedTurn(ctx context.Context, model embed.Embedder, at *position) error {
	for bytes := 0; bytes < turnBytes && len(at.corpora) > 0; {
		batch, err := w.nextTexts(ctx, model, at)
		if err != nil {
			return err
		}
		if len(batch.rows) == 0 {
			at.corpora, at.from = at.corpora[1:], 0
			continue
		}
		if err := w.embedBatch(ctx, model, batch); err != nil {
			return err
		}
		at.from = batch.rows[len(batch.rows)-1].Ordinal + 1
		for _, text := range batch.texts {
			bytes += len(text)
		}
	}
	return nil
}

// embedBatch asks the model and stores what it returns.
func (w *Version) embedBatch(ctx context.Context, model embed.Embedder, batch textBatch) error {
	vectors, err := embedUntilStop(ctx, model, batch.texts)
	if err != nil {
		return err
	}
	for n, at := range batch.at {
		batch.rows[at].Vector = vectors[n]
	}
	if err := activities.Acquire(ctx, w.Slots, w.Ref.WorkspaceID); err != nil {
		return err
	}
	defer w.Slots.Release(w.Ref.WorkspaceID, 1)
	return w.Rows.StoreVectors(ctx, w.Ref, w.Generation.Model, batch.corpus, batch.rows)
}

func (w *Version) nextTexts(ctx context.Context, model embed.Embedder, at *position) (textBatch, error) {
	if err := activities.Acquire(ctx, w.Slots, w.Ref.WorkspaceID); err != nil {
		return textBatch{}, err
	}
	defer w.Slots.Release(w.Ref.WorkspaceID, 1)
	batch := textBatch{corpus: at.corpora[0]}
	rows, err := w.Rows.Unembedded(ctx, w.Ref, w.Generation.Model, batch.corpus, at.from, textsAtOnce)
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
	given := map[string]bool{} // a text may stand in several rows
	for n, hash := range hashes {
		if key := string(hash); !known[key] && !given[key] {
			given[key] = true
			batch.texts, batch.at = append(batch.texts, texts[n]), append(batch.at, n)
		}
	}
	return batch, err
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
