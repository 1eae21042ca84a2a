package search_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models/knowledge"
	"github.com/redline-svc/redline/models/modelstest"
	"github.com/redline-svc/redline/models/search"
	"github.com/redline-svc/redline/models/vector"
	"github.com/redline-svc/redline/models/vector/weaviatetest"
)

const (
	// sourceChunks are in each source, and written in batches of that many.
	sourceChunks, writeBatch = 1000, 200
	// rounds are how often both searches are made at each size of the workspace.
	rounds = 200
	// vocabulary is how many words there are, chunkWords how many a chunk has. How often
	// a word stands follows Zipf's law, as in texts that people wrote.
	vocabulary, chunkWords, zipf = 40_000, 170, 1.07
	// themes are what chunks are about; those of one lie near one another.
	themes, dimensions = 500, 384
	questionWords      = 8
)

// writer makes chunks, and vectors for them.
type writer struct {
	*rand.Rand

	words  *rand.Zipf
	themes [][]float32
}

func newWriter() *writer {
	random := rand.New(rand.NewPCG(7, 11))
	w := &writer{Rand: random, words: rand.NewZipf(random, zipf, 2, vocabulary-1)}
	for range themes {
		w.themes = append(w.themes, w.around(make([]float32, dimensions), 1))
	}
	return w
}

// text is of n words; the most frequent ones are left out, as stop words are.
func (w *writer) text(n int) string {
	words := make([]string, n)
	for i := range words {
		words[i] = "w" + strconv.FormatUint(20+w.words.Uint64(), 36)
	}
	return strings.Join(words, " ")
}

// around is a unit vector near another one.
func (w *writer) around(center []float32, far float64) []float32 {
	v, sum := make([]float32, dimensions), 0.0
	for i := range v {
		v[i] = center[i] + float32(far*w.NormFloat64()/math.Sqrt(dimensions))
		sum += float64(v[i]) * float64(v[i])
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(sum))
	}
	return v
}

// source brings a source into the rows and the index.
func (w *writer) source(b *testing.B, l *modelstest.Library, x *vector.Index) {
	b.Helper()
	p := vector.Partition{Suffix: l.Generation().Suffix, Workspace: "ws_one", Corpus: vector.Chunks}
	texts := make([]string, sourceChunks)
	for i := range texts {
		texts[i] = w.text(chunkWords)
	}
	v := l.Live("ws_one", texts...)
	objects := make([]vector.Object, sourceChunks)
	for i, text := range texts {
		objects[i] = vector.Object{
			Item: strconv.Itoa(i), Source: v.SourceID, Version: knowledge.VersionKey(v.SourceID, v.Version),
			Text: text, Vector: w.around(w.themes[w.IntN(themes)], 1.2),
		}
	}
	for batch := range slices.Chunk(objects, writeBatch) {
		require.NoError(b, x.Insert(b.Context(), p, batch))
	}
}

// searched is a workspace and how long searches in it take, in milliseconds.
type searched struct {
	*writer

	library     *modelstest.Library
	index       *vector.Index
	plain, both []float64
}

// ask makes both searches, one after the other.
func (s *searched) ask(b *testing.B, i int) {
	b.Helper()
	q := search.Query{Vector: s.around(s.themes[i%themes], 0.8), Model: "m1", Limit: 10}
	text, begun := s.text(questionWords), time.Now()
	found, err := s.library.Search(b.Context(), "ws_one", s.index, q)
	s.plain = append(s.plain, float64(time.Since(begun).Microseconds())/1000)
	require.NoError(b, err)
	require.Len(b, found.Items, 10)
	begun = time.Now()
	found, err = s.library.Hybrid(b.Context(), "ws_one", s.index, q, text)
	s.both = append(s.both, float64(time.Since(begun).Microseconds())/1000)
	require.NoError(b, err)
	require.Len(b, found.Items, 10)
	require.False(b, found.Degraded || found.WithoutMeaning || found.WithoutWords)
}

func median(of []float64) float64 { return slices.Sorted(slices.Values(of))[len(of)/2] }

// BenchmarkHybrid asks by meaning alone, and by meaning and by words, in turns, in a
// workspace that grows to 100,000 chunks, and prints the medians. There a search by both may
// take 1.6 times as long.
func BenchmarkHybrid(b *testing.B) {
	s := &searched{writer: newWriter(), library: modelstest.NewLibrary(b)}
	var err error
	s.index, err = vector.New(weaviatetest.Addresses(b))
	require.NoError(b, err)
	b.Cleanup(weaviatetest.Stop)
	there := 0
	for _, sources := range []int{10, 30, 100} {
		for ; there < sources; there++ {
			s.source(b, s.library, s.index)
		}
		s.library.Exec(`ANALYZE`)
		for i := range rounds / 4 {
			s.ask(b, i)
		}
		s.plain, s.both = nil, nil
		for i := range rounds {
			s.ask(b, i)
		}
		b.Logf("%d chunks: by meaning %.1f ms, by both %.1f ms, %.2f times", sources*sourceChunks, median(s.plain), median(s.both), median(s.both)/median(s.plain))
	}
	for b.Loop() {
		s.ask(b, 0)
	}
	b.ReportMetric(median(s.plain), "plain-ms")
	b.ReportMetric(median(s.both), "hybrid-ms")
	b.ReportMetric(median(s.both)/median(s.plain), "ratio")
}
