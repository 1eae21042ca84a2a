package search_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/modelstest"
	"github.com/redline-svc/redline/models/search"
	"github.com/redline-svc/redline/models/vector"
)

// hangs is an index that answers nobody until it is let go, however long they
// would wait.
type hangs struct {
	*modelstest.Index
	reached, released chan struct{}
}

func (x *hangs) Nearest(ctx context.Context, p vector.Partition, q vector.Query) ([]vector.Hit, error) {
	x.reached <- struct{}{}
	<-x.released
	return x.Index.Nearest(ctx, p, q)
}

// Of one workspace half as many wait for the index as it may hold connections, and they hold none.
func TestSearchesAtAnIndexThatHangsHoldNoConnection(t *testing.T) {
	t.Parallel()
	l := modelstest.NewLibrary(t)
	v := l.Live("ws_one", "text")
	l.Live("ws_two", "text")
	all := int(l.DB.Pool.Config().MaxConns)
	held := int(pg.Share(int64(all)) / 2)
	x := &hangs{
		Index:   &modelstest.Index{Hits: map[vector.Corpus][]vector.Hit{vector.Chunks: {modelstest.ChunkHit(v, 0, 0.1)}}},
		reached: make(chan struct{}, all), released: make(chan struct{}),
	}
	release := sync.OnceFunc(func() { close(x.released) })
	t.Cleanup(release)
	ended, other := make(chan *search.Found, all), make(chan struct{})
	for range all {
		go func() {
			found, err := l.Search(t.Context(), "ws_one", x, modelstest.Question)
			if err != nil {
				t.Errorf("unexpected error: %v", err)
			}
			ended <- found
		}()
	}
	next := func() *search.Found {
		select {
		case found := <-ended:
			require.NotNil(t, found)
			return found
		case <-time.After(time.Minute):
			require.FailNow(t, "no search ends")
			return nil
		}
	}
	for range all - held {
		found := next()
		require.True(t, found.Degraded, "a search without a slot is answered, and not by the index")
		require.Equal(t, []string{"text"}, modelstest.Texts(found))
		require.Nil(t, found.Items[0].Score)
	}
	require.Len(t, x.reached, held)
	require.Empty(t, ended, "the others wait")
	require.Zero(t, l.DB.Pool.Stat().AcquiredConns())
	go func() {
		_, err := l.Search(t.Context(), "ws_two", x, modelstest.Question)
		assert.NoError(t, err)
		close(other)
	}()
	for range held + 1 {
		<-x.reached // that of another workspace too
	}
	release()
	<-other
	for range held {
		require.False(t, next().Degraded)
	}
}
