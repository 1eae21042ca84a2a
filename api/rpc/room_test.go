package rpc

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

// waiting sends a request of a key whose body does not come until sent is closed, and
// returns the answer to wait for.
func (b *bench) waiting(ctx context.Context, key string, size int64, sent <-chan struct{}) <-chan int {
	body, more := io.Pipe()
	answered := make(chan int, 1)
	go func() {
		<-sent
		_, _ = more.Write([]byte(`{"data":{"name":"ann"}}`))
		_ = more.Close()
	}()
	go func() {
		r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/v2/test/keyed", body)
		r.ContentLength = size
		r.Header.Set(headerAPIKey, key)
		r.Header.Set(headerAuthToken, "good-"+key)
		w := httptest.NewRecorder()
		b.ServeHTTP(w, r)
		_ = body.Close() // as the connection of a request that has been answered
		answered <- w.Code
	}()
	return answered
}

// What is known of a body counts before it comes, and what is not known counts as much as
// the operation takes. A workspace that has its share of the room waits, then it is refused,
// which its limit does not count.
func TestRequestsHaveRoomWithinTheShareOfTheirWorkspace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, sent := newBench(t), make(chan struct{})
		var held []<-chan int
		for range roomOfOne / DefaultBodyLimit {
			held = append(held, b.waiting(t.Context(), "ak_1", -1, sent))
		}
		synctest.Wait()
		require.EqualValues(t, roomOfOne, roomOfAll-b.free())
		left, cancel := context.WithCancel(t.Context())
		gone := b.waiting(left, "ak_1", -1, sent)
		synctest.Wait()
		cancel()
		require.Equal(t, http.StatusTooManyRequests, <-gone, "who goes away has taken nothing")

		refused := b.waiting(t.Context(), "ak_1", DefaultBodyLimit, sent)
		require.Equal(t, http.StatusTooManyRequests, <-refused)
		require.Equal(t, "back key/ak_1", b.limiter.asked[len(b.limiter.asked)-1])
		close(sent)
		for _, answered := range held {
			require.Equal(t, http.StatusOK, <-answered)
		}
		require.EqualValues(t, roomOfAll, b.free())
	})
}

// free is how much room nobody has.
func (b *bench) free() int64 { return b.room.Free() }
