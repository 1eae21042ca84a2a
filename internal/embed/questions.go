package embed

import (
	"context"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/redline-svc/redline/internal/slots"
)

const (
	// keptQuestions is how many questions a model remembers the vectors of: with
	// 4,096 numbers each they take 16 MiB.
	keptQuestions = 1000
	// keptLength is the longest question that is remembered, in bytes; longer ones
	// are hardly asked twice.
	keptLength = 1000
)

// remembering is a model that is not asked again for a question that was asked
// a while ago by the same workspace.
type remembering struct {
	Embedder

	questions *lru.Cache[asked, []float32]
}

// asked is a question of a workspace: how fast an answer comes must not say what others
// have asked.
type asked struct {
	workspaceID string
	use         Use
	text        string
}

func remember(e Embedder) Embedder {
	questions, err := lru.New[asked, []float32](keptQuestions)
	if err != nil {
		return e // only for a size below 1
	}
	return remembering{Embedder: e, questions: questions}
}

// Embed is that of the model; the vector of a question belongs to all calls of its workspace
// (slots.For), so it is read only.
func (r remembering) Embed(ctx context.Context, texts []string, use Use) ([][]float32, error) {
	if !use.asked() || len(texts) != 1 || len(texts[0]) > keptLength {
		return r.Embedder.Embed(ctx, texts, use)
	}
	question := asked{slots.WorkspaceOf(ctx), use, texts[0]}
	if known, is := r.questions.Get(question); is {
		return [][]float32{known}, nil
	}
	vectors, err := r.Embedder.Embed(ctx, texts, use)
	if err == nil {
		r.questions.Add(question, vectors[0])
	}
	return vectors, err
}
