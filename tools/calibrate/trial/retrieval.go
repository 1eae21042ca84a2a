package trial

import (
	"context"
	"math"
	"slices"
	"strings"

	"github.com/redline-svc/redline/internal/chunk"
	"github.com/redline-svc/redline/internal/embed"
	"github.com/redline-svc/redline/internal/fuse"
	"github.com/redline-svc/redline/internal/term"
	"github.com/redline-svc/redline/tools/calibrate/labelled"
)

// depth is how many of the first ones count.
const depth = 10

// ranked returns the texts for a question, the best first, by their numbers.
type ranked func(question string) []int

// body is texts that are searched. file is that of each.
type body struct {
	files, texts []string
	// near and the others are the ways to search; said is that by words which is fused.
	near, words, unstemmed, said ranked
}

// retrieval is the documents as chunks, and unsplit: as the sections that their headings
// make of them.
type retrieval struct {
	chunks, sections *body
}

// newRetrieval cuts and embeds the documents, each chunk with its headings as the index has
// it.
func newRetrieval(ctx context.Context, sets *labelled.Sets, model embed.Embedder) (r retrieval, err error) {
	var chunks, sections body
	for _, d := range sets.Retrieval.Documents {
		for _, c := range chunk.Split(d.Text) {
			chunks.add(d.Name, embed.Fit(model, c.Path, c.Text))
		}
		title, rest, _ := strings.Cut(d.Text, "\n")
		for section := range strings.SplitSeq(rest, "\n## ") {
			if heading, text, titled := strings.Cut(section, "\n"); titled && strings.TrimSpace(text) != "" {
				sections.add(d.Name, strings.TrimPrefix(title, "# ")+chunk.Separator+heading+"\n"+strings.TrimSpace(text))
			}
		}
	}
	for _, b := range []*body{&chunks, &sections} {
		if err := b.prepare(ctx, sets.Retrieval.Questions, model); err != nil {
			return r, err
		}
	}
	return retrieval{chunks: &chunks, sections: &sections}, nil
}

func (b *body) add(file, text string) {
	b.files, b.texts = append(b.files, file), append(b.texts, text)
}

func (b *body) prepare(ctx context.Context, questions []labelled.Sought, model embed.Embedder) error {
	asked := make([]string, len(questions))
	for i, q := range questions {
		asked[i] = q.Question
	}
	queries, err := vectorsOf(ctx, model, asked, embed.Query)
	if err != nil {
		return err
	}
	vectors, err := vectorsOf(ctx, model, b.texts, embed.Passage)
	if err != nil {
		return err
	}
	b.near = func(question string) []int {
		scores := make([]float64, len(b.texts))
		for i, text := range b.texts {
			scores[i] = 2 + embed.Cosine(queries[question], vectors[text]) // above 0: all are in the list
		}
		return byScore(scores)
	}
	stemmed := newKeywords(b.texts, term.Keywords, term.Asked)
	b.words, b.said = stemmed.ranked, stemmed.enough
	b.unstemmed = newKeywords(b.texts, unstemmed, unstemmedQuestion).ranked
	return nil
}

// byScore are the numbers of the first texts that have a score.
func byScore(scores []float64) []int {
	var list []int
	for i, score := range scores {
		if score > 0 {
			list = append(list, i)
		}
	}
	slices.SortStableFunc(list, func(a, b int) int { return compare(scores[b], scores[a]) })
	return list[:min(len(list), fuse.Listed)]
}

func compare(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	default:
		return 0
	}
}

// both fuses two ways to search; of equal ones the nearer comes first.
func both(near, words ranked) ranked {
	return func(question string) []int {
		meant, said := near(question), words(question)
		scores := fuse.Ranks(meant, said)
		list := slices.Concat(meant, slices.DeleteFunc(said, func(i int) bool { return slices.Contains(meant, i) }))
		slices.SortStableFunc(list, func(a, b int) int { return compare(scores[b], scores[a]) })
		return list
	}
}

// found is how the questions of a half fare: the share with the right text among the first
// ones, and the mean nDCG, which is 1/log2(1 + rank) as there is one right text.
func (b *body) found(questions []labelled.Sought, half labelled.Half, search ranked) (first, ndcg float64) {
	asked := 0.0
	for _, q := range questions {
		if q.Half() != half {
			continue
		}
		asked++
		list := search(q.Question)
		rank := slices.IndexFunc(list, func(i int) bool { return b.files[i] == q.File && strings.Contains(b.texts[i], q.Answer) })
		if rank >= 0 && rank < depth {
			first++
			ndcg += 1 / math.Log2(float64(rank+2))
		}
	}
	return portion(first, asked), portion(ndcg, asked)
}

// portion is a part of a whole, at most 1; of nothing it is 1.
func portion(part, whole float64) float64 {
	if whole == 0 {
		return 1
	}
	return min(1, part/whole)
}

// searches returns the figures of a half.
func (t *Trial) searches(half labelled.Half) []float64 {
	questions, chunks := t.sets.Retrieval.Questions, t.retrieval.chunks
	first, meaning := chunks.found(questions, half, chunks.near)
	_, words := chunks.found(questions, half, chunks.words)
	_, bare := chunks.found(questions, half, chunks.unstemmed)
	firstOfBoth, fused := chunks.found(questions, half, both(chunks.near, chunks.said))
	_, unsplit := t.retrieval.sections.found(questions, half, t.retrieval.sections.near)
	return []float64{
		first, firstOfBoth, meaning, words, bare, fused,
		portion(meaning, words), portion(fused, max(meaning, words)), portion(words, bare), portion(meaning, unsplit),
	}
}
