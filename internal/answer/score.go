package answer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/redline-svc/redline/internal/embed"
	"github.com/redline-svc/redline/internal/term"
)

// Parts of a score. The cosine carries the meaning; the stems keep a sentence that names
// the things asked for above one that is merely about the like.
const (
	cosinePart = 0.7
	stemsPart  = 0.3
)

// perRecord is how many sentences of a record are embedded at most, since that is where
// the time goes: those with most stems of the question, then the first ones. It is a
// number for each record and not for all of them together: with that, sentences of further
// records that merely share a word with the question would push out the one that answers
// it in other words, and more evidence would make an answer empty. A reason or a rule has
// fewer sentences and a chunk seldom more. 40 records of common length have about 200 such
// sentences, for which the local model needs 0.6 s of processor time.
const perRecord = 8

// ErrVectors is an answer of the model that does not fit: not a vector for each sentence,
// or one of another length than that of the question.
var ErrVectors = errors.New("answer: the vectors do not fit the sentences or the question")

// candidate is a sentence that may be quoted.
type candidate struct {
	record int
	text   string
	// words are those of the text in one form, to find equal ones.
	words string
	// shared counts the stems of the question that the sentence has.
	shared int
	vector []float32
	// similarity is the cosine with the question, score what Compose says.
	similarity, score float64
}

// asked is a question and what is compared of it.
type asked struct {
	words  string
	stems  map[string]bool
	vector []float32
}

func newAsked(q Question) asked {
	return asked{words: folded(q.Text), stems: term.Stems(q.Text), vector: q.Vector}
}

// folded is a text without case, punctuation and markup.
func folded(text string) string { return strings.Join(term.Words(text), " ") }

// candidates returns the likeliest sentences of a record, each once. A sentence that is the
// question itself, such as a heading that was asked for, answers nothing.
func (a asked) candidates(record int, r Record) []candidate {
	seen := map[string]bool{a.words: true}
	var found []candidate
	for _, text := range r.Texts {
		for _, sentence := range quotable(text) {
			words := folded(sentence)
			if !seen[words] {
				seen[words] = true
				found = append(found, candidate{record: record, text: sentence, words: words, shared: a.shared(sentence)})
			}
		}
	}
	slices.SortStableFunc(found, func(x, y candidate) int { return cmp.Compare(y.shared, x.shared) })
	return found[:min(len(found), perRecord)]
}

func (a asked) shared(sentence string) int {
	shared := 0
	for stem := range term.Stems(sentence) {
		if a.stems[stem] {
			shared++
		}
	}
	return shared
}

// score embeds the sentences, equal ones once, and scores them.
func (a asked) score(ctx context.Context, candidates []candidate, model Embed) error {
	if len(candidates) == 0 {
		return nil
	}
	vectors, err := a.vectors(ctx, candidates, model)
	if err != nil {
		return err
	}
	for i := range candidates {
		c := &candidates[i]
		c.vector = vectors[c.text]
		c.similarity, c.score = a.rate(*c)
	}
	return nil
}

func (a asked) rate(c candidate) (similarity, score float64) {
	similarity = embed.Cosine(a.vector, c.vector)
	share := float64(c.shared) / float64(max(1, len(a.stems)))
	return similarity, cosinePart*similarity + stemsPart*share
}

// vectors returns the vector of each text.
func (a asked) vectors(ctx context.Context, candidates []candidate, model Embed) (map[string][]float32, error) {
	var texts []string
	vectors := map[string][]float32{}
	for _, c := range candidates {
		if _, known := vectors[c.text]; !known {
			vectors[c.text] = nil
			texts = append(texts, c.text)
		}
	}
	given, err := model(ctx, texts)
	if err != nil {
		return nil, err
	}
	if len(given) != len(texts) {
		return nil, fmt.Errorf("%w: %d for %d sentences", ErrVectors, len(given), len(texts))
	}
	for i, vector := range given {
		if len(vector) != len(a.vector) {
			return nil, fmt.Errorf("%w: %d dimensions, the question has %d", ErrVectors, len(vector), len(a.vector))
		}
		vectors[texts[i]] = vector
	}
	return vectors, nil
}
