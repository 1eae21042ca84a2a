package trial

import (
	"context"
	"slices"
	"strings"

	"github.com/redline-svc/redline/internal/answer"
	"github.com/redline-svc/redline/internal/embed"
	"github.com/redline-svc/redline/tools/calibrate/labelled"
)

// How many records of each kind a question is answered from, as by memory/ask.
const (
	askedJudgments = 20
	askedKnowledge = 12
	askedRules     = 8
)

// record is something stored, as a question is answered from it.
type record struct {
	answer.Record

	id string
}

// answers is how the questions of a half fare.
func (t *Trial) answers(ctx context.Context, half labelled.Half, with embed.Thresholds) (answered, error) {
	var a answered
	for _, q := range t.sets.Ask.Questions {
		if q.Half() != half {
			continue
		}
		records := t.records(q.Question)
		said, err := t.answer(ctx, q.Question, records, with)
		if err != nil {
			return answered{}, err
		}
		a.note(q.Answers, records, said)
	}
	return a, nil
}

func (t *Trial) answer(ctx context.Context, question string, records []record, with embed.Thresholds) (answer.Answer, error) {
	given := make([]answer.Record, len(records))
	for i, r := range records {
		given[i] = r.Record
	}
	sentences := func(ctx context.Context, texts []string) ([][]float32, error) {
		return t.model.Embed(ctx, texts, embed.Passage)
	}
	return answer.Compose(ctx, answer.Question{Text: question, Vector: t.queries[question]}, given, sentences,
		answer.Thresholds{Floor: with.Answer, Strong: with.Certain})
}

// records are the nearest of each kind: judgments by the better of their vectors.
func (t *Trial) records(question string) []record {
	ask := &t.sets.Ask
	var judgments []record
	query, matter := t.queries[question], t.matters[question]
	for i := range ask.Judgments {
		j := &ask.Judgments[i]
		better := max(similarity(matter, t.judged[reviewOf(j)]), similarity(matter, t.judged[j.Content]))
		judgments = append(judgments, record{answer.Record{Texts: []string{j.Reasoning, j.Content}, Similarity: better}, j.ID})
	}
	return slices.Concat(first(judgments, askedJudgments),
		first(t.paragraphs(query, ask.Knowledge), askedKnowledge), first(t.paragraphs(query, ask.Rules), askedRules))
}

func (t *Trial) paragraphs(query []float32, of []labelled.Paragraph) []record {
	found := make([]record, len(of))
	for i, p := range of {
		found[i] = record{answer.Record{Texts: []string{p.Text}, Similarity: similarity(query, t.vectors[p.Text])}, p.ID}
	}
	return found
}

func first(of []record, limit int) []record {
	return nearest(of, func(r record) float64 { return r.Similarity }, limit)
}

// answered counts what was answered against where the answers stand.
type answered struct{ verbatim, empty, answered, rightly share }

// note counts the answer to a question that those records hold, or none.
func (a *answered) note(holding []string, records []record, said answer.Answer) {
	rightly := false
	for _, c := range said.Citations {
		cited := records[c.Record]
		a.verbatim.note(slices.ContainsFunc(cited.Texts, func(text string) bool { return strings.Contains(text, c.Snippet) }))
		rightly = rightly || slices.Contains(holding, cited.id)
	}
	if len(holding) == 0 {
		a.empty.note(said.Text == "")
		return
	}
	a.answered.note(said.Text != "")
	a.rightly.note(rightly)
}

func (a answered) figures() []float64 {
	return []float64{a.verbatim.value(1), a.empty.value(0), a.answered.value(0), a.rightly.value(0)}
}
