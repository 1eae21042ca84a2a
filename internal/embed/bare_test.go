package embed

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/redline-svc/redline/internal/embed/ortlib"
)

// BenchmarkProviderAgainstRuntime gives the texts a second of the provider, and
// those of the bare runtime that is run the same way, one text a run and as many
// runs as cores, on tokens that are there already. Both take turns.
func BenchmarkProviderAgainstRuntime(b *testing.B) {
	library, err := ortlib.Resolve(context.Background(), "")
	require.NoError(b, err)
	model, err := NewLocal(library)
	require.NoError(b, err)
	texts, tokens := make([]string, 32), make([][]int, 32)
	for i := range texts {
		texts[i] = strings.Repeat("Deliveries are tried again until the receiver takes them. ", 20)
		tokens[i] = model.encode(texts[i])
	}
	var provider, bare time.Duration
	for b.Loop() {
		began := time.Now()
		_, err := model.Embed(context.Background(), texts, Passage)
		require.NoError(b, err)
		provider += time.Since(began)
		began = time.Now()
		var group errgroup.Group
		group.SetLimit(cap(model.passages))
		for _, ids := range tokens {
			group.Go(func() error {
				_, err := model.knowledge.run(ids)
				return err
			})
		}
		require.NoError(b, group.Wait())
		bare += time.Since(began)
	}
	count := float64(len(texts) * b.N)
	b.ReportMetric(count/provider.Seconds(), "texts/s")
	b.ReportMetric(count/bare.Seconds(), "bare-texts/s")
}
