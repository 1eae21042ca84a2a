package reindex

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/redline-svc/redline/activities/indexing"
	"github.com/redline-svc/redline/internal/embed"
	"github.com/redline-svc/redline/models/judgment"
	"github.com/redline-svc/redline/models/knowledge"
	"github.com/redline-svc/redline/models/vector"
)

// copyBatch is how many versions are looked for at once, copiedAtOnce how many are copied
// side by side: while rows of one are read, the index works on the other.
const copyBatch, copiedAtOnce = 100, 2

// Rows is what building and checking an index needs of the rows
// (*models.Knowledge).
type Rows interface {
	indexing.Rows
	Serving(ctx context.Context, fresh bool) (*knowledge.Generation, error)
	Build(ctx context.Context, identity string, probe []float32, model string) (*knowledge.Generation, error)
	Uncopied(ctx context.Context, generationID string, limit int) ([]knowledge.VersionRef, error)
	LiveVersions(ctx context.Context, generationID string) (live, copied int, err error)
	Copied(ctx context.Context, v knowledge.VersionRef, generationID string) error
	Present(ctx context.Context, v knowledge.VersionRef) (live, there bool, err error)
	Switch(ctx context.Context, generationID string) (bool, error)
	FirstGeneration(ctx context.Context, identity string, probe []float32) (*knowledge.Generation, error)
	Standing(ctx context.Context) ([]knowledge.Generation, error)
	IndexRows
}

// Parts are what an operator's work on the index is made of.
type Parts struct {
	Rows      Rows
	Judgments JudgmentRows
	Index     IndexInspector
	Models    *embed.Models
	// Progress is called after each version.
	Progress func(done, of int)
}

// Job builds the index again beside the one that serves. It may be broken off
// and begun again: what has been copied stays.
type Job struct {
	Parts

	showing sync.Mutex
}

// New makes the job.
func New(p Parts) *Job { return &Job{Parts: p} }

// ErrNoIndex is that nothing has been indexed yet.
var ErrNoIndex = errors.New("nothing has been indexed yet")

// Rebuild fills a new generation from the vectors in the rows.
func (r *Job) Rebuild(ctx context.Context) (*knowledge.Generation, error) {
	serving, err := r.serving(ctx)
	if err != nil {
		return nil, err
	}
	g, err := r.Rows.Build(ctx, serving.Identity, serving.Probe, serving.Model)
	if err != nil {
		return nil, err
	}
	return g, r.build(ctx, *g, r.complete, mustHaveVectors)
}

// Reembed fills a new generation with the vectors of the configured model.
func (r *Job) Reembed(ctx context.Context) (*knowledge.Generation, error) {
	serving, err := r.serving(ctx)
	if err != nil {
		return nil, err
	}
	probe, err := r.Models.Probe(ctx)
	if err != nil {
		return nil, err
	}
	identity := r.Models.Current().Identity().String()
	g, err := r.Rows.Build(ctx, identity, probe, r.vectorsOf(*serving, identity, probe))
	if err != nil {
		return nil, err
	}
	return g, r.build(ctx, *g,
		func(ctx context.Context, w *indexing.Version) error { return w.Embed(ctx, r.Models.Current()) },
		func(ctx context.Context, w *indexing.Judgments, of []judgment.Pending) error {
			return w.Embed(ctx, r.Models.Current(), g.Model, of)
		})
}

func (r *Job) serving(ctx context.Context) (*knowledge.Generation, error) {
	serving, err := r.Rows.Serving(ctx, true)
	if err == nil && serving == nil {
		err = ErrNoIndex
	}
	return serving, err
}

// probeMark is how many bytes of a probe's hash tell two models of one name apart.
const probeMark = 4

// vectorsOf is the name under which the vectors of the configured model are
// kept: its identity, unless that stands for another model already.
func (r *Job) vectorsOf(serving knowledge.Generation, identity string, probe []float32) string {
	switch {
	case serving.Identity != identity:
		return identity
	case embed.SameModel(serving.Probe, probe):
		return serving.Model
	default:
		hash := sha256.Sum256([]byte(fmt.Sprint(probe)))
		return identity + "/" + hex.EncodeToString(hash[:probeMark])
	}
}

// complete refuses a version that has texts without a stored vector.
func (r *Job) complete(ctx context.Context, w *indexing.Version) error {
	for _, corpus := range vector.Corpora {
		missing, err := w.Rows.Unembedded(ctx, w.Ref, w.Generation.Model, corpus, 0, 1)
		if err != nil {
			return err
		}
		if len(missing) > 0 {
			return fmt.Errorf("%s has texts without a stored vector: use `redline admin index reembed`", w.Ref.SourceID)
		}
	}
	return nil
}

// build copies every live version and judgment, those too that come meanwhile, and
// then switches. The count of each version in the index is held against its rows.
func (r *Job) build(ctx context.Context, g knowledge.Generation, prepare func(context.Context, *indexing.Version) error, vectors makeVectors) error {
	for {
		lacks, err := r.Rows.Uncopied(ctx, g.ID, copyBatch)
		if err != nil {
			return err
		}
		if err := r.copyAll(ctx, lacks, g, prepare); err != nil {
			return err
		}
		if len(lacks) > 0 {
			continue
		}
		if err := r.copyJudgments(ctx, g, vectors); err != nil {
			return err
		}
		if done, err := r.Rows.Switch(ctx, g.ID); err != nil || done {
			return err
		}
	}
}

// copyAll copies versions, some side by side. The first fault ends it.
func (r *Job) copyAll(ctx context.Context, versions []knowledge.VersionRef, g knowledge.Generation, prepare func(context.Context, *indexing.Version) error) error {
	copies, ctx := errgroup.WithContext(ctx)
	copies.SetLimit(copiedAtOnce)
	for _, v := range versions {
		copies.Go(func() error { return r.copy(ctx, v, g, prepare) })
	}
	return copies.Wait()
}

func (r *Job) copy(ctx context.Context, v knowledge.VersionRef, g knowledge.Generation, prepare func(context.Context, *indexing.Version) error) error {
	w := &indexing.Version{Rows: r.Rows, Index: r.Index, Ref: v, Generation: g}
	if err := r.settle(ctx, w, r.fill(ctx, w, prepare)); err != nil {
		return err
	}
	live, copied, err := r.Rows.LiveVersions(ctx, g.ID)
	if err == nil {
		r.showing.Lock()
		defer r.showing.Unlock()
		r.Progress(copied, live)
	}
	return err
}

// fill copies a version and notes that.
func (r *Job) fill(ctx context.Context, w *indexing.Version, prepare func(context.Context, *indexing.Version) error) error {
	if err := prepare(ctx, w); err != nil {
		return err
	}
	if err := w.Fill(ctx, true); err != nil {
		return err
	}
	return r.Rows.Copied(ctx, w.Ref, w.Generation.ID)
}

// settle looks whether the version is still live. One that ended meanwhile need not be
// copied, so it does not matter what went wrong: its rows and objects may have gone while
// they were copied. What the copy has brought in is removed by the service, or here where
// there is no row any more by which that finds it.
func (r *Job) settle(ctx context.Context, w *indexing.Version, failed error) error {
	live, there, err := r.Rows.Present(ctx, w.Ref)
	switch {
	case err != nil || live:
		return errors.Join(failed, err)
	case there:
		return r.Rows.Copied(ctx, w.Ref, w.Generation.ID)
	default:
		return w.Remove(ctx)
	}
}
