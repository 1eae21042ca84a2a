package memory

import (
	"context"
	"errors"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/redline-svc/redline/internal/embed"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/knowledge"
)

// queryLimit is how long the vector of a question is waited for, its one retry
// included.
const queryLimit = 3 * time.Second

type generations interface {
	Serving(ctx context.Context, fresh bool) (*knowledge.Generation, error)
}

// Questions turns questions into vectors by the model of the vectors in the index.
type Questions struct {
	Generations generations
	Models      *embed.Models
}

// question is one with its vectors: that by which knowledge is near, and that by which
// judgments are; each where it was wanted. model is the name under which vectors of its kind
// are kept.
type question struct {
	knowledge  []float32
	matter     []float32
	model      string
	embedder   embed.Embedder
	thresholds embed.Thresholds
}

// Reasons of an answer that there is none without a vector or without the index.
const (
	embedderAway = "embedder-away"
	indexAway    = "index-away"
	modelChanged = "embedding-model-changed"
)

// ask returns the question with its vectors; nil while nothing has been indexed. fresh
// looks which generation of the index serves now. Errors: UNAVAILABLE embedder-away, and
// errMoved.
func (q Questions) ask(ctx context.Context, text string, fresh bool, uses []embed.Use) (*question, error) {
	serving, err := q.Generations.Serving(ctx, fresh)
	if err != nil || serving == nil {
		return nil, err
	}
	asked, err := q.embedded(ctx, serving, text, uses)
	if errors.Is(err, embed.ErrModelChanged) {
		return nil, errMoved
	}
	if err != nil {
		return nil, withoutEmbedder(err)
	}
	return asked, nil
}

// withoutEmbedder is that the model gave no vectors.
func withoutEmbedder(err error) error {
	away := fault.Unavailable(err)
	away.Reason = embedderAway
	return away
}

// errMoved is that the index holds vectors of another model, by now or for long.
var errMoved = errors.New("the index holds vectors of another model")

// with gives the question with its vectors for these uses to what answers it, once more when the index may have been
// switched meanwhile. While nothing has been indexed there is nothing to answer from.
// Errors: UNAVAILABLE embedder-away, FAILED_PRECONDITION embedding-model-changed.
func (q Questions) with(ctx context.Context, text string, answer func(*question) error, uses ...embed.Use) error {
	for _, fresh := range []bool{false, true} {
		asked, err := q.ask(ctx, text, fresh, uses)
		if err == nil && asked != nil {
			err = answer(asked)
		}
		if !errors.Is(err, errMoved) {
			return err
		}
	}
	return fault.FailedPrecondition(modelChanged, "the index holds vectors of another model than the configured one; the operator has to build it again")
}

// withoutIndex is that the index did not answer; other faults stay as they are.
func withoutIndex(err error) error {
	if !fault.Is(err, fault.StatusUnavailable) && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	away := fault.Unavailable(err)
	away.Reason = indexAway
	return away
}

// embedded embeds the question for each use, at the same time. A model that is reached over a network asks once more by
// itself where that may help.
func (q Questions) embedded(ctx context.Context, serving *knowledge.Generation, text string, uses []embed.Use) (*question, error) {
	own, cancel := context.WithTimeout(ctx, queryLimit)
	defer cancel()
	model, err := q.Models.For(own, serving.Identity, serving.Probe)
	if err != nil {
		return nil, err
	}
	asked := &question{model: serving.Model, embedder: model, thresholds: model.Identity().Thresholds()}
	into := map[embed.Use]*[]float32{embed.Query: &asked.knowledge, embed.Matter: &asked.matter}
	group, shared := errgroup.WithContext(own)
	for _, use := range uses {
		group.Go(func() error {
			vectors, err := model.Embed(shared, []string{text}, use)
			if err == nil {
				*into[use] = vectors[0]
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return asked, nil
}
