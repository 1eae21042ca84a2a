package activities

import (
	"cmp"
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/redline-svc/redline/internal/embed"
	"github.com/redline-svc/redline/models"
	"github.com/redline-svc/redline/models/vector"
)

// indexBatch is how many objects are written between two looks whether to stop,
// batchesAtOnce how many batches of a version are on their way: while the index
// works on one, the next is read and sent.
const indexBatch, batchesAtOnce = 100, 2

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
	return g, model, err
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
	w := vectorWork{rows: i.Rows, index: i.Index, version: v, generation: *g, places: i.places}
	return w, w.embed(ctx, model)
}

// vectorWork brings one version into one generation.
type vectorWork struct {
	rows       VersionVectors
	index      VectorStore
	version    models.OwedVersion
	generation models.Generation
	// places are those that whoever works on it shares; nil for an operator's.
	places places
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
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(batchesAtOnce)
	err := w.pages(ctx, corpus, func(objects []vector.Object) (err error) {
		if keep != nil {
			objects, err = keep(objects)
		}
		if err == nil {
			group.Go(func() error { return w.index.Insert(ctx, w.place(corpus), objects) })
		}
		return err
	})
	return cmp.Or(group.Wait(), err) // a batch that failed ends the reading
}

// pages reads the objects of a corpus in their order.
func (w *vectorWork) pages(ctx context.Context, corpus vector.Corpus, each func([]vector.Object) error) error {
	for from := 0; from >= 0; {
		if err := stopping(ctx); err != nil {
			return err
		}
		objects, next, err := w.rows.VectorPage(ctx, w.version, w.generation.Model, corpus, from, indexBatch)
		if err != nil {
			return err
		}
		if err := each(objects); err != nil {
			return err
		}
		from = next
	}
	return nil
}
