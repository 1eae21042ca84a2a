package activities

import (
	"context"
	"crypto/sha256"
	"fmt"

	"github.com/redline-svc/redline/internal/embed"
	"github.com/redline-svc/redline/models"
	"github.com/redline-svc/redline/models/vector"
)

// embedBatch is how many texts are embedded between two looks whether to stop,
// indexBatch how many objects are written between two.
const embedBatch, indexBatch = 64, 100

// serving gives the generation that searches read, with the model of its
// vectors. The first version of all begins it. Error: embed.ErrModelChanged.
func (i *Ingestion) serving(ctx context.Context) (*models.Generation, embed.Embedder, error) {
	g, err := i.Rows.Serving(ctx, true)
	if err == nil && g == nil {
		g, err = i.first(ctx)
	}
	if err != nil {
		return nil, nil, err
	}
	model, err := i.Models.Verify(ctx, g.Identity, g.Probe)
	return g, apart{Embedder: model, places: i.places}, err
}

func (i *Ingestion) first(ctx context.Context) (*models.Generation, error) {
	probe, err := i.Models.Probe(ctx)
	if err != nil {
		return nil, err
	}
	return i.Rows.FirstGeneration(ctx, i.Models.Current().Identity().String(), probe)
}

// embed makes the vectors that are missing: what a former try has made is not
// made again.
func (i *Ingestion) embed(ctx context.Context, v models.OwedVersion, _ models.Work) error {
	if _, err := i.embedded(ctx, v); err != nil {
		return err
	}
	return i.Rows.FinishStage(ctx, v, models.StageEmbedding)
}

// index sends all objects of a version to the serving generation, which may be
// another one than at the embedding.
func (i *Ingestion) index(ctx context.Context, v models.OwedVersion, before models.Work) error {
	w, err := i.embedded(ctx, v)
	if err != nil {
		return err
	}
	if err := w.fill(ctx, before.Indexed); err != nil {
		return err
	}
	return i.Rows.Indexed(ctx, v, w.generation.ID)
}

// embedded is a version with all its vectors for the serving generation.
func (i *Ingestion) embedded(ctx context.Context, v models.OwedVersion) (vectorWork, error) {
	g, model, err := i.serving(ctx)
	if err != nil {
		return vectorWork{}, err
	}
	w := vectorWork{rows: i.Rows, index: i.Index, version: v, generation: *g}
	return w, w.embed(ctx, model)
}

// vectorWork brings one version into one generation.
type vectorWork struct {
	rows       VersionVectors
	index      VectorStore
	version    models.OwedVersion
	generation models.Generation
}

// embed makes the vectors of the generation's model that are missing, in batches.
func (w *vectorWork) embed(ctx context.Context, model embed.Embedder) error {
	for _, corpus := range vector.Corpora {
		for from := 0; ; {
			if err := stopping(ctx); err != nil {
				return err
			}
			texts, err := w.rows.Unembedded(ctx, w.version, w.generation.Model, corpus, from, embedBatch)
			if err != nil {
				return err
			}
			if len(texts) == 0 {
				break
			}
			if err := w.embedSome(ctx, model, texts); err != nil {
				return err
			}
			from = texts[len(texts)-1].Ordinal + 1
		}
	}
	return nil
}

func (w *vectorWork) embedSome(ctx context.Context, model embed.Embedder, rows []models.Unembedded) error {
	done := make([]models.Embedded, len(rows))
	hashes := make([][]byte, len(rows))
	texts := make([]string, len(rows))
	for n, row := range rows {
		texts[n] = embed.Fit(model, row.Path, row.Content)
		if hashes[n] = row.Hash; len(row.Hash) == 0 {
			hash := sha256.Sum256([]byte(texts[n]))
			hashes[n] = hash[:]
		}
		done[n] = models.Embedded{Corpus: row.Corpus, Ordinal: row.Ordinal, Hash: hashes[n]}
	}
	known, err := w.rows.KnownVectors(ctx, w.version.WorkspaceID, w.generation.Model, hashes)
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
	vectors, err := model.Embed(ctx, missing, embed.Passage)
	if err != nil {
		return err
	}
	for n, place := range at {
		done[place].Vector = vectors[n]
	}
	return w.rows.StoreVectors(ctx, w.version, w.generation.Model, done)
}

func (w *vectorWork) place(corpus vector.Corpus) vector.Place {
	return vector.Place{Suffix: w.generation.Suffix, Workspace: w.version.WorkspaceID, Corpus: corpus}
}

// fill writes all objects; then the index must have as many as there are rows.
// What a former try may have left is removed first.
func (w *vectorWork) fill(ctx context.Context, again bool) error {
	key := models.VersionKey(w.version.SourceID, w.version.Version)
	for _, corpus := range vector.Corpora {
		want, err := w.rows.CountRows(ctx, w.version, corpus)
		if err != nil {
			return err
		}
		if again {
			if err := w.index.DeleteVersion(ctx, w.place(corpus), key); err != nil {
				return err
			}
		}
		if want == 0 {
			continue
		}
		if err := w.write(ctx, corpus, nil); err != nil {
			return err
		}
		have, err := w.index.Count(ctx, w.place(corpus), key)
		if err != nil {
			return err
		}
		if have != want {
			return fmt.Errorf("the index has %d of %d objects", have, want)
		}
	}
	return nil
}

// write sends the objects of a corpus, or those of them that keep wants.
func (w *vectorWork) write(ctx context.Context, corpus vector.Corpus, keep func([]vector.Object) ([]vector.Object, error)) error {
	for from := 0; from >= 0; {
		if err := stopping(ctx); err != nil {
			return err
		}
		objects, next, err := w.rows.VectorPage(ctx, w.version, w.generation.Model, corpus, from, indexBatch)
		if err == nil && keep != nil {
			objects, err = keep(objects)
		}
		if err != nil {
			return err
		}
		if err := w.index.Insert(ctx, w.place(corpus), objects); err != nil {
			return err
		}
		from = next
	}
	return nil
}
