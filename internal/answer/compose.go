package answer

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
)

// longestAnswer is the number of sentences of an answer at most: more is no answer but
// a list of what was found.
const longestAnswer = 5

// Thresholds belong to the profile of a model: each one has cosines of its own for
// texts that are near to each other.
type Thresholds struct {
	// Floor is the score, see Compose, below which a sentence does not answer.
	Floor float64
	// Strong is the cosine from which on a sentence certainly is about the question.
	// It is above 0.
	Strong float64
}

// Question is what was asked.
type Question struct {
	Text string
	// Vector is the unit vector of the text, by the model that also embeds sentences.
	Vector []float32
}

// Record is a judgment, a chunk or a rule that was found for a question.
type Record struct {
	// Texts are its parts that may be quoted, those that say most first: of a judgment
	// the reasoning, then the content.
	Texts []string
	// Similarity of the record to the question, 0 to 1. It decides between sentences of
	// the same score, and nothing else.
	Similarity float64
}

// Embed returns the unit vectors of sentences, in their order.
type Embed func(ctx context.Context, sentences []string) ([][]float32, error)

// Citation says where a sentence of an answer stands.
type Citation struct {
	// Record is the index of the record.
	Record int
	// Snippet is the sentence, a substring of one of the record's texts.
	Snippet string
}

// Answer is what the records say to a question. Its zero value: they say nothing.
type Answer struct {
	// Text has the sentences in lines, best first. A line and not a blank is between
	// them, since rows of tables and items of lists have no full stop.
	Text string
	// Citations has one for each sentence, in the order of the text.
	Citations []Citation
	// Confidence is 0 to 1, with three decimals.
	Confidence float64
}

// Compose answers a question with at most 5 sentences of the records. A sentence scores
//
//	0.7 × its cosine with the question + 0.3 × the share of the question's stems that it has
//
// and is part of the answer if that is the floor or more, unless a better sentence says
// nearly the same: the same words, or a cosine of 0.90 between them with the same numbers
// and negations. Among equal scores the more similar record is first, then the earlier one, then the earlier sentence.
//
// The model is asked at most once, with at most 8 sentences for each record. Its error is
// the only one, but for ErrVectors.
func Compose(ctx context.Context, q Question, records []Record, model Embed, t Thresholds) (Answer, error) {
	asked := newAsked(q)
	var candidates []candidate
	for i, record := range records {
		candidates = append(candidates, asked.candidates(i, record)...)
	}
	if err := asked.score(ctx, candidates, model); err != nil {
		return Answer{}, err
	}
	candidates = slices.DeleteFunc(candidates, func(c candidate) bool { return c.score < t.Floor })
	slices.SortStableFunc(candidates, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(records[b.record].Similarity, records[a.record].Similarity))
	})
	return write(distinct(candidates), t.Strong), nil
}

func write(kept []candidate, strong float64) Answer {
	var a Answer
	lines := make([]string, len(kept))
	for i, c := range kept {
		lines[i] = c.text
		a.Citations = append(a.Citations, Citation{Record: c.record, Snippet: c.text})
	}
	a.Text, a.Confidence = strings.Join(lines, "\n"), confidence(kept, strong)
	return a
}

// confidence of an answer is min(1, mean sim / strong) × (1 − 0.5^n), where n is the
// number of distinct records that are cited: five sentences of one record are one
// witness. sim is the cosine of a cited sentence with the question. It is neither the
// score, which rewards words that merely recur, nor the similarity of the record, which
// may be near by other sentences than the quoted one.
func confidence(kept []candidate, strong float64) float64 {
	if len(kept) == 0 {
		return 0
	}
	var sum float64
	cited := map[int]bool{}
	for _, c := range kept {
		sum += max(0, c.similarity)
		cited[c.record] = true
	}
	mean := sum / float64(len(kept))
	exact := min(1, mean/strong) * (1 - math.Pow(0.5, float64(len(cited))))
	return math.Round(exact*1000) / 1000
}
