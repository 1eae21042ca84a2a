package answer_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/answer"
	"github.com/redline-svc/redline/internal/embed"
	"github.com/redline-svc/redline/internal/embed/embedtest"
)

var vocabulary = strings.Fields(`liability cap mutual vendor customer clause draft review approve reject payment days notice
	termination renewal term figure chapter source citation headline design contrast button layout error handler retry
	timeout lock query index the a of for with must may shall is are was not and or because unless before after`)

// prose is so many sentences of 18 words.
func prose(source *rand.Rand, sentences int) string {
	var text strings.Builder
	for range sentences {
		for range 17 {
			text.WriteString(vocabulary[source.IntN(len(vocabulary))] + " ")
		}
		text.WriteString("here. ")
	}
	return text.String()
}

// found is as much as a question finds: 20 judgments, 12 chunks and 8 rules. A judgment's
// content has so many sentences.
func found(content int) []answer.Record {
	source := rand.New(rand.NewPCG(1, 2))
	var records []answer.Record
	for range 20 {
		records = append(records, answer.Record{Texts: []string{prose(source, 2), prose(source, content)}})
	}
	for range 12 {
		records = append(records, answer.Record{Texts: []string{prose(source, 12)}})
	}
	for range 8 {
		records = append(records, answer.Record{Texts: []string{prose(source, 1)}})
	}
	return records
}

// BenchmarkCompose with the model of the process: contents of a paragraph, and those of
// 50,000 characters, as long as a recorded one may be.
func BenchmarkCompose(b *testing.B) {
	model := embedtest.Local(b)
	vectors, err := model.Embed(context.Background(), []string{question.Text}, embed.Query)
	require.NoError(b, err)
	asked := answer.Question{Text: question.Text, Vector: vectors[0]}
	for _, content := range []int{3, 450} {
		records := found(content)
		b.Run(fmt.Sprintf("content=%d", content), func(b *testing.B) {
			embedded := 0
			for b.Loop() {
				_, err := answer.Compose(context.Background(), asked, records, func(ctx context.Context, sentences []string) ([][]float32, error) {
					embedded = len(sentences)
					return model.Embed(ctx, sentences, embed.Passage)
				}, answer.Thresholds{Floor: 0.3, Strong: 0.65})
				require.NoError(b, err)
			}
			b.ReportMetric(float64(embedded), "sentences")
		})
	}
}
