package weight_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/weight"
)

func TestACallWeighsMoreForEachHundredRows(t *testing.T) {
	t.Parallel()
	ctx, rows := weight.Count(t.Context())
	weight.Add(t.Context(), 1000) // of no call
	var all sync.WaitGroup
	for range 99 {
		all.Go(func() { weight.Add(ctx, 1) })
	}
	all.Wait()
	require.Zero(t, rows.Extra())
	weight.Add(ctx, 1)
	require.Equal(t, 1, rows.Extra())
	weight.Add(ctx, 999)
	require.Equal(t, 10, rows.Extra())
}
