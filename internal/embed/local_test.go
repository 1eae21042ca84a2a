package embed_test

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/embed"
	"github.com/redline-svc/redline/internal/embed/embedtest"
)

// answer is a text and the vectors that the models give for it by their reference
// implementation (testdata/known.py), as base64 of little-endian float32: as knowledge, and
// as a review.
type answer struct {
	Text   string `json:"text"`
	Vector string `json:"vector"`
	Review string `json:"review"`
}

func decoded(t *testing.T, vector string) []float32 {
	t.Helper()
	raw, err := base64.StdEncoding.DecodeString(vector)
	require.NoError(t, err)
	v := make([]float32, len(raw)/4)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
	}
	return v
}

func knownAnswers(t *testing.T) []answer {
	t.Helper()
	raw, err := os.ReadFile("testdata/known.json")
	require.NoError(t, err)
	var known []answer
	require.NoError(t, json.Unmarshal(raw, &known))
	require.Len(t, known, 10)
	return known
}

func one(t *testing.T, text string) []float32 { return oneFor(t, text, embed.Query) }

func oneFor(t *testing.T, text string, use embed.Use) []float32 {
	t.Helper()
	vectors, err := embedtest.Local(t).Embed(context.Background(), []string{text}, use)
	require.NoError(t, err)
	return vectors[0]
}

// both is the vector of a review: four fifths of a cosine are by the model of reviews.
func (k answer) both(t *testing.T) []float32 {
	t.Helper()
	all := append(decoded(t, k.Review), decoded(t, k.Vector)...)
	for i := range all {
		share := 0.8
		if i >= len(all)/2 {
			share = 0.2
		}
		all[i] *= float32(math.Sqrt(share))
	}
	return all
}

// requireSame allows for sums in single precision and in another order; on the
// processor of the reference no component was off by more than 1e-7.
func requireSame(t *testing.T, want, got []float32) {
	t.Helper()
	require.Len(t, got, len(want))
	for i := range want {
		require.InDelta(t, want[i], got[i], 1e-5, "component %d", i)
	}
}

func TestKnownAnswersAloneAndBesideOthersAtTheSameTime(t *testing.T) {
	known := knownAnswers(t)
	texts := make([]string, len(known))
	for i, k := range known {
		texts[i] = k.Text
		requireSame(t, decoded(t, k.Vector), one(t, k.Text))
		requireSame(t, k.both(t), oneFor(t, k.Text, embed.Matter))
	}
	var callers sync.WaitGroup
	together := make([][][]float32, 4)
	for c := range together {
		callers.Go(func() {
			together[c], _ = embedtest.Local(t).Embed(context.Background(), texts, []embed.Use{embed.Passage, embed.Review}[c%2])
		})
	}
	callers.Wait()
	for c, vectors := range together {
		require.Len(t, vectors, len(known))
		for i, k := range known {
			requireSame(t, [][]float32{decoded(t, k.Vector), k.both(t)}[c%2], vectors[i])
		}
	}
}

func TestNearMeaningIsNearerThanSharedWords(t *testing.T) {
	question := one(t, "How long may I take to pay an invoice?")
	meant := one(t, "Bills are due thirty days after they were sent.")
	other := one(t, "It may take long until the volcano erupts.")
	require.Greater(t, embed.Cosine(question, meant), embed.Cosine(question, other))
}

func TestLongTextIsAveragedOverItsWindows(t *testing.T) {
	model := embedtest.Local(t)
	long := strings.Repeat("The harbour was closed because of the storm. ", 60) +
		strings.Repeat("Every cake needs butter, sugar, flour and eggs. ", 60)
	require.Greater(t, model.Length(long), 2*model.Limit())
	v := one(t, long)
	require.Greater(t, embed.Cosine(v, one(t, "storm at the harbour")), 0.2)
	require.Greater(t, embed.Cosine(v, one(t, "baking a cake")), 0.2)
	require.InDelta(t, 1, embed.Cosine(v, v), 1e-5)
}

func TestEmptyTextHasAVector(t *testing.T) {
	require.InDelta(t, 1, embed.Cosine(one(t, ""), one(t, " ")), 1e-5)
}

func TestFitShortensThePathFromItsLeft(t *testing.T) {
	model := embedtest.Local(t)
	require.Equal(t, "a > b\ntext", embed.Fit(model, "a > b", "text"))
	text := strings.TrimSpace(strings.Repeat("word ", 200))
	wide := strings.TrimSpace(strings.Repeat("heading ", 80))
	require.Equal(t, "last\n"+text, embed.Fit(model, wide+" > last", text))
	require.Equal(t, text, embed.Fit(model, wide, text))
	require.Equal(t, text, embed.Fit(model, "", text))
}

func TestCancelledContextEndsEmbed(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := embedtest.Local(t).Embed(ctx, []string{"a"}, embed.Passage)
	require.ErrorIs(t, err, context.Canceled)
}

// BenchmarkLengthOfOddCharacters shows that the time for a text grows with its length,
// whatever it is made of: eight times the text is read at about the same bytes a second.
func BenchmarkLengthOfOddCharacters(b *testing.B) {
	for _, odd := range []string{"x", "\u0301", "漢", ".", "\u200b", "a\n", "🧑", "ab\t", "ab\u00a0", "ab/"} {
		for _, length := range []int{4 << 10, 32 << 10} {
			b.Run(fmt.Sprintf("%+q/%dKiB", odd, length>>10), func(b *testing.B) {
				text := "a" + strings.Repeat(odd, length/len(odd))
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					embedtest.Local(b).Length(text)
				}
			})
		}
	}
}

// counting is a model with a limit that notes how often it counts.
type counting struct {
	embed.Lexical

	counted int
}

func (*counting) Limit() int { return 256 }

func (c *counting) Length(text string) int {
	c.counted++
	return len(strings.Fields(text))
}

func TestFitCountsAPathOfManyPartsAFewTimes(t *testing.T) {
	text := strings.Repeat("word ", 250)
	c := &counting{}
	require.Equal(t, "a > a > a\n"+text, embed.Fit(c, strings.Repeat("a > ", 500)+"a", text))
	require.Less(t, c.counted, 20)
}
