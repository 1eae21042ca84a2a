package activities

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/redline-svc/redline/internal/embed"
	"github.com/redline-svc/redline/models"
	"github.com/redline-svc/redline/models/vector"
)

const (
	// embedBatch is how many texts are embedded between two signs of life,
	// indexBatch how many objects one request to the index carries.
	embedBatch, indexBatch = 64, 100
	// sameModel is the cosine of two vectors of the probe sentence from which
	// on their models are the same.
	sameModel = 0.999
)

// errModelChanged is that the index holds vectors of another model: nothing is
// written until it has been built anew.
var errModelChanged = errors.New("embedding-model-changed: the index holds vectors of another model")

// checkModel compares the model with that of the vectors in the index.
func (i *Ingestion) checkModel(ctx context.Context) error {
	probe, err := i.Embedder.Embed(ctx, []string{embed.Probe}, embed.Passage)
	if err != nil {
		return err
	}
	mine := models.IndexModel{Identity: i.Embedder.Identity().String(), Probe: probe[0]}
	kept, err := i.Rows.KeepIndexModel(ctx, mine)
	switch {
	case err != nil:
		return err
	case kept.Identity != mine.Identity, len(kept.Probe) != len(mine.Probe), embed.Cosine(kept.Probe, mine.Probe) < sameModel:
		return errModelChanged
	default:
		return nil
	}
}

// embed makes the vectors that are missing, in batches: what a former try has
// made is not made again.
func (i *Ingestion) embed(ctx context.Context, v models.OwedVersion, _ models.Work) error {
	if err := i.checkModel(ctx); err != nil {
		return err
	}
	for {
		if err := stopping(ctx); err != nil {
			return err
		}
		texts, err := i.Rows.Unembedded(ctx, v, embedBatch)
		if err != nil {
			return err
		}
		if len(texts) == 0 {
			return i.Rows.FinishStage(ctx, v, models.StageEmbedding)
		}
		if err := i.embedSome(ctx, v, texts); err != nil {
			return err
		}
	}
}

func (i *Ingestion) embedSome(ctx context.Context, v models.OwedVersion, rows []models.Unembedded) error {
	model := i.Embedder.Identity().String()
	done := make([]models.Embedded, len(rows))
	hashes := make([][]byte, len(rows))
	texts := make([]string, len(rows))
	for n, row := range rows {
		texts[n] = embed.Fit(i.Embedder, row.Path, row.Content)
		hash := sha256.Sum256([]byte(texts[n]))
		hashes[n] = hash[:]
		done[n] = models.Embedded{Corpus: row.Corpus, Ordinal: row.Ordinal, Hash: hash[:]}
	}
	known, err := i.Rows.KnownVectors(ctx, v.WorkspaceID, model, hashes)
	if err != nil {
		return err
	}
	var missing []string
	var at []int
	for n := range rows {
		if key := string(hashes[n]); !known[key] {
			known[key] = true
			missing, at = append(missing, texts[n]), append(at, n)
		}
	}
	vectors, err := i.Embedder.Embed(ctx, missing, embed.Passage)
	if err != nil {
		return err
	}
	for n, place := range at {
		done[place].Vector = vectors[n]
	}
	return i.Rows.StoreVectors(ctx, v, model, done)
}

// index sends all objects of a version; then the index must have as many as
// there are rows.
func (i *Ingestion) index(ctx context.Context, v models.OwedVersion, _ models.Work) error {
	if err := i.checkModel(ctx); err != nil {
		return err
	}
	for _, corpus := range vector.Corpora {
		if err := i.indexCorpus(ctx, v, corpus); err != nil {
			return err
		}
	}
	return i.Rows.FinishStage(ctx, v, models.StageIndexing)
}

func (i *Ingestion) indexCorpus(ctx context.Context, v models.OwedVersion, corpus vector.Corpus) error {
	want, err := i.Rows.CountRows(ctx, v, corpus)
	if err != nil || want == 0 {
		return err
	}
	model := i.Embedder.Identity().String()
	for from := 0; from >= 0; {
		if err := stopping(ctx); err != nil {
			return err
		}
		objects, next, err := i.Rows.VectorPage(ctx, v, model, corpus, from, indexBatch)
		if err != nil {
			return err
		}
		if err := i.Index.Upsert(ctx, v.WorkspaceID, corpus, objects); err != nil {
			return err
		}
		from = next
	}
	have, err := i.Index.Count(ctx, v.WorkspaceID, corpus, models.VersionKey(v.SourceID, v.Version))
	if err == nil && have != want {
		err = fmt.Errorf("the index has %d of %d objects", have, want)
	}
	return err
}
