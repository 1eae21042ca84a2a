package trial

import (
	"context"
	"errors"

	"github.com/redline-svc/redline/internal/embed"
	"github.com/redline-svc/redline/tools/calibrate/labelled"
)

// Trial is the labelled sets with their vectors by one model.
type Trial struct {
	sets  *labelled.Sets
	model embed.Embedder
	// vectors are those of what is stored, queries those of what is asked: situations and
	// questions. Both are by their text and as the model gave them.
	vectors, queries map[string][]float32
	// asked are the situations of each half, with the judgments that are near.
	asked [2][]asked
	// retrieval is the documents that are searched.
	retrieval retrieval
}

// New embeds the sets, each text once. The only error is that of the model.
func New(ctx context.Context, sets *labelled.Sets, model embed.Embedder) (*Trial, error) {
	t := &Trial{sets: sets, model: model}
	var queries []string
	for i := range sets.Situations {
		queries = append(queries, sets.Situations[i].Query)
	}
	for _, q := range sets.Ask.Questions {
		queries = append(queries, q.Question)
	}
	var err, other error
	t.queries, err = vectorsOf(ctx, model, queries, embed.Query)
	t.vectors, other = vectorsOf(ctx, model, passages(sets), embed.Passage)
	if err := errors.Join(err, other); err != nil {
		return nil, err
	}
	t.asked = t.situations()
	t.retrieval, err = newRetrieval(ctx, sets, model)
	return t, err
}

// vectorsOf returns the vectors of texts by the text.
func vectorsOf(ctx context.Context, model embed.Embedder, texts []string, use embed.Use) (map[string][]float32, error) {
	made, err := model.Embed(ctx, texts, use)
	if err != nil {
		return nil, err
	}
	by := make(map[string][]float32, len(texts))
	for i, text := range texts {
		by[text] = made[i]
	}
	return by, nil
}

// passages are the texts of all that is stored.
func passages(sets *labelled.Sets) []string {
	judgments := append([]labelled.Judgment{}, sets.Noise...)
	judgments = append(judgments, sets.Ask.Judgments...)
	for i := range sets.Situations {
		judgments = append(judgments, sets.Situations[i].History...)
	}
	for i := range sets.Practices {
		judgments = append(judgments, sets.Practices[i].Judgments...)
	}
	var texts []string
	for i := range judgments {
		texts = append(texts, reviewOf(&judgments[i]), judgments[i].Content)
	}
	for _, paragraphs := range [][]labelled.Paragraph{sets.Ask.Knowledge, sets.Ask.Rules} {
		for _, p := range paragraphs {
			texts = append(texts, p.Text)
		}
	}
	return texts
}

// review is a vector as those of judgments and of questions about them are compared.
func (t *Trial) review(v []float32) []float32 { return t.model.Identity().WithoutCommon(v) }

// Measure returns the figures of a half with those thresholds, in the order of Bars.
func (t *Trial) Measure(ctx context.Context, half labelled.Half, with embed.Thresholds) ([]float64, error) {
	patterns, err := t.patterns(ctx, half, with)
	if err != nil {
		return nil, err
	}
	answers, err := t.answers(ctx, half, with)
	if err != nil {
		return nil, err
	}
	figures := t.suggestions(half, with).figures()
	figures = append(figures, patterns.figures()...)
	figures = append(figures, answers.figures()...)
	return append(figures, t.searches(half)...), nil
}
