package answer_test

import (
	"context"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/redline-svc/redline/internal/answer"
)

// arbitrary gives each sentence a vector of its own that has nothing to do with its words,
// so that the cheap order of sentences and their cosines disagree as far as they can.
func arbitrary(_ context.Context, sentences []string) ([][]float32, error) {
	vectors := make([][]float32, len(sentences))
	for i, sentence := range sentences {
		hash := fnv.New64a()
		_, _ = hash.Write([]byte(sentence)) // never fails
		source := rand.New(rand.NewPCG(hash.Sum64(), 0))
		x, y, z := source.NormFloat64(), source.NormFloat64(), source.NormFloat64()
		length := math.Sqrt(x*x + y*y + z*z)
		vectors[i] = []float32{float32(x / length), float32(y / length), float32(z / length)}
	}
	return vectors, nil
}

var (
	words     = rapid.SampledFrom([]string{"cap", "caps", "liability", "mutual", "the", "is", "not", "fee", "draft", "5", "“late”", "| x |", "- y", "z\n", "why?", "# so"})
	sentences = rapid.Custom(func(t *rapid.T) string {
		end := rapid.SampledFrom([]string{". ", "! ", "? ", "\n", "\n\n", ": "}).Draw(t, "end")
		return strings.Join(rapid.SliceOfN(words, 1, 7).Draw(t, "words"), " ") + end
	})
)

// drawRecords returns records of which no two are equally similar.
func drawRecords(t *rapid.T) []answer.Record {
	records := make([]answer.Record, rapid.IntRange(0, 12).Draw(t, "records"))
	for i := range records {
		for range rapid.IntRange(1, 2).Draw(t, "texts") {
			text := strings.Join(rapid.SliceOfN(sentences, 0, 20).Draw(t, "sentences"), "")
			records[i].Texts = append(records[i].Texts, text)
		}
		records[i].Similarity = float64(i) / float64(len(records))
	}
	return records
}

// drawn answers the question from records with drawn thresholds.
func drawn(t *rapid.T) func(records []answer.Record) answer.Answer {
	thresholds := answer.Thresholds{
		Floor:  rapid.Float64Range(-1, 1).Draw(t, "floor"),
		Strong: rapid.Float64Range(0.01, 1).Draw(t, "strong"),
	}
	return func(records []answer.Record) answer.Answer {
		a, err := answer.Compose(context.Background(), question, records, arbitrary, thresholds)
		require.NoError(t, err)
		return a
	}
}

func TestEverySentenceStandsInTheRecordThatIsCited(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		records := drawRecords(t)
		a := drawn(t)(records)
		var lines []string
		for _, c := range a.Citations {
			require.True(t, slices.ContainsFunc(records[c.Record].Texts, func(text string) bool { return strings.Contains(text, c.Snippet) }), c.Snippet)
			lines = append(lines, c.Snippet)
		}
		require.LessOrEqual(t, len(lines), 5)
		require.Equal(t, strings.Join(lines, "\n"), a.Text)
		require.GreaterOrEqual(t, a.Confidence, 0.0)
		require.LessOrEqual(t, a.Confidence, 1.0)
	})
}

func TestOrderOfRecordsChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		records := drawRecords(t)
		numbers := make([]int, len(records))
		for i := range numbers {
			numbers[i] = i
		}
		order := rapid.Permutation(numbers).Draw(t, "order")
		mixed := make([]answer.Record, len(records))
		for i, number := range order {
			mixed[i] = records[number]
		}
		compose := drawn(t)
		got := compose(mixed)
		for i, c := range got.Citations {
			got.Citations[i].Record = order[c.Record]
		}
		require.Equal(t, compose(records), got)
	})
}

func TestMoreRecordsDoNotEmptyAnAnswer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		records, more := drawRecords(t), drawRecords(t)
		compose := drawn(t)
		if compose(records).Text != "" {
			require.NotEmpty(t, compose(slices.Concat(more, records)).Text)
		}
	})
}
