package indexing

import (
	"context"
	"fmt"

	"github.com/redline-svc/redline/activities"
	"github.com/redline-svc/redline/internal/slots"
	"github.com/redline-svc/redline/models/knowledge"
	"github.com/redline-svc/redline/models/vector"
)

// indexBatch is how many objects are written between two looks whether to stop.
const indexBatch = 100

// Rows is what is needed of the rows of a version (*knowledge.Knowledge).
type Rows interface {
	Unembedded(ctx context.Context, v knowledge.VersionRef, model string, corpus vector.Corpus, from, limit int) ([]knowledge.Unembedded, error)
	KnownVectors(ctx context.Context, workspaceID, model string, hashes [][]byte) (map[string]bool, error)
	StoreVectors(ctx context.Context, v knowledge.VersionRef, model string, corpus vector.Corpus, rows []knowledge.Embedded) error
	VectorPage(ctx context.Context, v knowledge.VersionRef, model string, corpus vector.Corpus, from, limit int) ([]vector.Object, int, error)
	CountRows(ctx context.Context, v knowledge.VersionRef, corpus vector.Corpus) (int, error)
}

// Index is the index that a version is brought into (*vector.Index).
type Index interface {
	Insert(ctx context.Context, p vector.Partition, objects []vector.Object) error
	Count(ctx context.Context, p vector.Partition, version string) (int, error)
	DeleteVersion(ctx context.Context, p vector.Partition, version string) error
	Delete(ctx context.Context, p vector.Partition, id string) error
}

// Version is one version on its way into one generation.
type Version struct {
	Rows       Rows
	Index      Index
	Ref        knowledge.VersionRef
	Generation knowledge.Generation
	// Slots are those that whoever works on it shares, Turns those of the versions that
	// use the model; nil for an operator's.
	Slots, Turns *slots.Slots
}

// Partition is where the objects of a corpus lie.
func (w *Version) Partition(corpus vector.Corpus) vector.Partition {
	return vector.Partition{Suffix: w.Generation.Suffix, Workspace: w.Ref.WorkspaceID, Corpus: corpus}
}

func (w *Version) key() string { return knowledge.VersionKey(w.Ref.SourceID, w.Ref.Version) }

// Remove removes all objects.
func (w *Version) Remove(ctx context.Context) error {
	for _, corpus := range vector.Corpora {
		if err := w.Index.DeleteVersion(ctx, w.Partition(corpus), w.key()); err != nil {
			return err
		}
	}
	return nil
}

// Fill writes all objects; then the index must have as many as there are rows. What
// an earlier try may have left is removed first.
func (w *Version) Fill(ctx context.Context, again bool) error {
	for _, corpus := range vector.Corpora {
		want, err := w.Rows.CountRows(ctx, w.Ref, corpus)
		if err != nil {
			return err
		}
		if again {
			if err := w.Index.DeleteVersion(ctx, w.Partition(corpus), w.key()); err != nil {
				return err
			}
		}
		if want == 0 {
			continue
		}
		if err := w.fill(ctx, corpus, want); err != nil {
			return err
		}
	}
	return nil
}

// fill writes the objects of a corpus. Where the index has another number of them, it may
// have been killed and have kept objects without what finds them by their version: the
// removal of a version passes those over, and writing them again mends nothing. So each is
// removed by its id, and all are written once more.
func (w *Version) fill(ctx context.Context, corpus vector.Corpus, want int) error {
	have, err := w.written(ctx, corpus)
	if err == nil && have != want {
		if err = w.removeEach(ctx, corpus); err == nil {
			have, err = w.written(ctx, corpus)
		}
	}
	if err == nil && have != want {
		err = fmt.Errorf("the index has %d of %d objects", have, want)
	}
	return err
}

// written writes the objects of a corpus and returns how many of the version the index has.
func (w *Version) written(ctx context.Context, corpus vector.Corpus) (int, error) {
	if err := w.Write(ctx, corpus, nil); err != nil {
		return 0, err
	}
	return w.Index.Count(ctx, w.Partition(corpus), w.key())
}

// removeEach removes the objects of a corpus one by one.
func (w *Version) removeEach(ctx context.Context, corpus vector.Corpus) error {
	p := w.Partition(corpus)
	return w.pages(ctx, corpus, func(objects []vector.Object) error {
		for _, o := range objects {
			if err := w.Index.Delete(ctx, p, p.ID(o.Version, o.Item)); err != nil {
				return err
			}
		}
		return nil
	})
}

// Write sends the objects of a corpus, or those of them that keep wants.
func (w *Version) Write(ctx context.Context, corpus vector.Corpus, keep func([]vector.Object) ([]vector.Object, error)) error {
	return w.pages(ctx, corpus, func(objects []vector.Object) (err error) {
		if keep != nil {
			objects, err = keep(objects)
		}
		if err != nil {
			return err
		}
		return w.Index.Insert(ctx, w.Partition(corpus), objects)
	})
}

// pages reads the objects of a corpus in their order.
func (w *Version) pages(ctx context.Context, corpus vector.Corpus, each func([]vector.Object) error) error {
	for from := 0; from >= 0; {
		if err := activities.Stopping(ctx); err != nil {
			return err
		}
		objects, next, err := w.Rows.VectorPage(ctx, w.Ref, w.Generation.Model, corpus, from, indexBatch)
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
