package chunk_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/chunk"
)

var vocabulary = strings.Fields("old machines turn slowly while workers watch heavy wheels and every part needs oil before winter comes over the hills")

// paragraphs are many of one to five sentences, each with its number.
func paragraphs(r *rand.Rand, count int) []string {
	made := make([]string, count)
	for i := range made {
		sentences := []string{fmt.Sprintf("Part %d is oiled every week", i)}
		for range r.IntN(5) {
			words := make([]string, 8+r.IntN(8))
			for w := range words {
				words[w] = vocabulary[r.IntN(len(vocabulary))]
			}
			sentences = append(sentences, strings.Join(words, " "))
		}
		made[i] = strings.Join(sentences, ". ") + "."
	}
	return made
}

// fresh counts the chunks of a text that another text has not got.
func fresh(before, after []string) (count int) {
	known := chunk.Split(strings.Join(before, "\n\n"))
	for _, c := range chunk.Split(strings.Join(after, "\n\n")) {
		if !slices.Contains(known, c) {
			count++
		}
	}
	return count
}

// A paragraph that is changed, added or taken out changes the chunks around it alone,
// although nothing but the target length separates the chunks of a section.
func TestAChangedParagraphChangesTheChunksAroundIt(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	text := paragraphs(r, 500)
	for name, change := range map[string]func(at int) []string{
		"changed": func(at int) []string {
			return slices.Concat(text[:at], []string{strings.Replace(text[at], "every week", "at least every second day", 1)}, text[at+1:])
		},
		"replaced": func(at int) []string { return slices.Concat(text[:at], paragraphs(r, 1), text[at+1:]) },
		"added":    func(at int) []string { return slices.Insert(slices.Clone(text), at, paragraphs(r, 1)...) },
		"taken":    func(at int) []string { return slices.Delete(slices.Clone(text), at, at+1) },
	} {
		t.Run(name, func(t *testing.T) {
			var counts []int
			for at := 5; at < len(text); at += 25 {
				counts = append(counts, fresh(text, change(at)))
			}
			slices.Sort(counts)
			t.Log(counts)
			require.LessOrEqual(t, counts[len(counts)/2], 2)
			require.LessOrEqual(t, counts[len(counts)-1], 6)
			if name == "changed" {
				require.LessOrEqual(t, counts[len(counts)-1], 3)
			}
		})
	}
}

// Chunks are near their target all the same.
func TestChunksAreNearTheirTarget(t *testing.T) {
	chunks := chunk.Split(strings.Join(paragraphs(rand.New(rand.NewPCG(3, 4)), 500), "\n\n"))
	tokens := 0
	for _, c := range chunks {
		tokens += c.Tokens
	}
	require.InDelta(t, chunk.Target, tokens/len(chunks), 40)
}
