package trial

import (
	"context"

	"github.com/redline-svc/redline/internal/embed"
	"github.com/redline-svc/redline/tools/calibrate/labelled"
)

// Trial is the labelled sets with their vectors by one model.
type Trial struct {
	sets  *labelled.Sets
	model embed.Embedder
	// vectors are those of what is known and queries those of questions; judged are those of
	// judgments and matters those of situations and of questions about judgments. All are by
	// their text.
	vectors, queries, judged, matters map[string][]float32
	// asked are the situations of each half, and then of further sets, with the judgments
	// that are near.
	asked []reviewed
	// retrieval is the documents that are searched.
	retrieval retrieval
}

// New embeds the sets, each text once. The only error is that of the model.
func New(ctx context.Context, sets *labelled.Sets, model embed.Embedder) (*Trial, error) {
	t := &Trial{sets: sets, model: model}
	var err error
	for _, of := range []struct {
		vectors *map[string][]float32
		texts   []string
		use     embed.Use
	}{
		{&t.queries, questions(sets), embed.Query},
		{&t.vectors, passages(sets), embed.Passage},
		{&t.matters, append(questions(sets), situations(sets)...), embed.Matter},
		{&t.judged, reviews(sets), embed.Review},
	} {
		if *of.vectors, err = vectorsOf(ctx, model, of.texts, of.use); err != nil {
			return nil, err
		}
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

// questions are asked over the stored body.
func questions(sets *labelled.Sets) (texts []string) {
	for _, q := range sets.Ask.Questions {
		texts = append(texts, q.Question)
	}
	return texts
}

// situations are what is to be judged.
func situations(sets *labelled.Sets) (texts []string) {
	for i := range sets.Situations {
		texts = append(texts, sets.Situations[i].Query)
	}
	for i := range sets.Reviews {
		for _, s := range sets.Reviews[i].Situations {
			texts = append(texts, s.Query)
		}
	}
	return texts
}

// passages are what is known.
func passages(sets *labelled.Sets) (texts []string) {
	for _, paragraphs := range [][]labelled.Paragraph{sets.Ask.Knowledge, sets.Ask.Rules} {
		for _, p := range paragraphs {
			texts = append(texts, p.Text)
		}
	}
	return texts
}

// reviews are the texts of all judgments.
func reviews(sets *labelled.Sets) (texts []string) {
	judgments := append([]labelled.Judgment{}, sets.Noise...)
	judgments = append(judgments, sets.Ask.Judgments...)
	for i := range sets.Situations {
		judgments = append(judgments, sets.Situations[i].History...)
	}
	for i := range sets.Practices {
		judgments = append(judgments, sets.Practices[i].Judgments...)
	}
	for i := range sets.Reviews {
		judgments = append(judgments, sets.Reviews[i].History()...)
	}
	judgments = append(judgments, plantedOf(sets)...)
	for i := range judgments {
		texts = append(texts, reviewOf(&judgments[i]), judgments[i].Content)
	}
	return texts
}

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
	figures := t.asked[half].suggestions(with).figures()
	figures = append(figures, patterns.figures()...)
	figures = append(figures, answers.figures()...)
	return append(figures, t.searches(half)...), nil
}
