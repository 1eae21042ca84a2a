package ingestion

import (
	"context"
	"errors"

	"github.com/redline-svc/redline/activities"
	"github.com/redline-svc/redline/activities/indexing"
	"github.com/redline-svc/redline/internal/embed"
	"github.com/redline-svc/redline/models/knowledge"
	"github.com/redline-svc/redline/models/vector"
)

// modelChanged is the type of the failure of a stage whose model an operator has to
// configure again or replace in the index.
const modelChanged = "embedding-model-changed"

// serving returns the generation that searches read, with the model of its
// vectors. The first version of all begins it. Error: embed.ErrModelChanged.
func (i *Activities) serving(ctx context.Context) (*knowledge.Generation, embed.Embedder, error) {
	g, err := i.Rows.Serving(ctx, true)
	if err == nil && g == nil {
		g, err = i.first(ctx)
	}
	if err != nil {
		return nil, nil, err
	}
	model, err := i.Models.Verify(ctx, g.Identity, g.Probe)
	if errors.Is(err, embed.ErrModelChanged) {
		err = activities.Named(modelChanged, err)
	}
	return g, model, err
}

func (i *Activities) first(ctx context.Context) (*knowledge.Generation, error) {
	probe, err := i.Models.Probe(ctx)
	if err != nil {
		return nil, err
	}
	return i.Rows.FirstGeneration(ctx, i.Models.Current().Identity().String(), probe)
}

// embed makes the vectors that are missing: what an earlier try has made is not
// made again.
func (i *Activities) embed(ctx context.Context, v knowledge.VersionRef, _ knowledge.StageInput) error {
	if _, err := i.embedded(ctx, v); err != nil {
		return err
	}
	return i.Rows.FinishStage(ctx, v, knowledge.StageEmbedding)
}

// index sends all objects of a version to the serving generation, which may have
// changed since the embedding. Where that has lost what it had of the workspace, the
// version waits as if the index were away: written now, it would be found and hide that
// others are not.
func (i *Activities) index(ctx context.Context, v knowledge.VersionRef, before knowledge.StageInput) error {
	w, err := i.embedded(ctx, v)
	if err != nil {
		return err
	}
	for _, corpus := range vector.Corpora {
		if err := i.Lost(ctx, w.Partition(corpus)); err != nil {
			return err
		}
	}
	if err := w.Fill(ctx, before.Indexed); err != nil {
		return err
	}
	return i.Rows.MarkIndexed(ctx, v, w.Generation.ID)
}

// embedded is a version with all its vectors for the serving generation.
func (i *Activities) embedded(ctx context.Context, v knowledge.VersionRef) (indexing.Version, error) {
	g, model, err := i.serving(ctx)
	if err != nil {
		return indexing.Version{}, err
	}
	w := indexing.Version{Rows: i.Rows, Index: i.Index, Ref: v, Generation: *g, Slots: i.slots, Turns: i.turns}
	return w, w.Embed(ctx, model)
}
