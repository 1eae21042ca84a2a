package rpc

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/limit"
	"github.com/redline-svc/redline/internal/weight"
	"github.com/redline-svc/redline/models/workspace"
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
func (b *bench) free() int64 { return b.workspaces.room.Free() }

// Beside its body a call has room for what it reads and answers, within the share of its
// workspace, and keeps of it what its answer takes until that is read.
func TestCallsHaveMemoryWithinTheShareOfTheirWorkspace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, sent := newBench(t), make(chan struct{})
		taken := int64(memoryOfOne - DefaultReads)
		require.NoError(t, b.workspaces.memory.Acquire(t.Context(), "ws_1", taken))
		refused := b.waiting(t.Context(), "ak_1", -1, sent)
		close(sent)
		require.Equal(t, http.StatusTooManyRequests, <-refused, "there is no room for what the body may become")
		b.workspaces.memory.Release("ws_1", taken)
		require.Equal(t, http.StatusOK, <-b.waiting(t.Context(), "ak_1", -1, sent))
		require.EqualValues(t, memoryOfAll, b.workspaces.memory.Free())
	})
}

func TestAnAnswerKeepsWhatItTakes(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	x := &exchange{route: &Route{Reads: 10 << 20}, roomOf: "ws_1", share: &b.workspaces, bytesIn: 100}
	require.NoError(t, b.takeMemory(t.Context(), x))
	require.EqualValues(t, 10<<20+memoryPerByte*100, x.memory)
	b.keepMemory(x, 20<<20)
	require.EqualValues(t, 10<<20+memoryPerByte*100, x.memory, "never more than it took")
	b.keepMemory(x, 1000)
	require.EqualValues(t, memoryOfAll-1000, b.workspaces.memory.Free())
	large := &exchange{route: &Route{Reads: 1 << 30}, roomOf: "ws_2", share: &b.workspaces}
	require.NoError(t, b.takeMemory(t.Context(), large))
	require.EqualValues(t, memoryOfCall, large.memory, "and never more than one call may")
}

// Who waits for somebody outside leaves the memory of its workspace to other calls of it.
func TestACallThatWaitsForOthersHoldsNoMemory(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	x := &exchange{server: b.Server, route: &Route{Reads: 10 << 20}, roomOf: "ws_1", share: &b.workspaces}
	ctx := context.WithValue(t.Context(), exchangeKey{}, x)
	require.NoError(t, b.takeMemory(ctx, x))
	waited := false
	require.NoError(t, Waiting(ctx, func() {
		waited = true
		require.EqualValues(t, memoryOfAll, b.workspaces.memory.Free())
	}))
	require.True(t, waited)
	require.EqualValues(t, memoryOfAll-10<<20, b.workspaces.memory.Free())
	require.NoError(t, Waiting(t.Context(), func() { waited = false }), "it is no call")
	require.False(t, waited)
}

// What a call reads may be known only once it knows what is asked for.
func TestACallMakesRoomForWhatItIsGoingToRead(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	x := &exchange{server: b.Server, route: &Route{Reads: 2 << 20}, roomOf: "ws_1", share: &b.workspaces}
	ctx := context.WithValue(t.Context(), exchangeKey{}, x)
	require.NoError(t, b.takeMemory(ctx, x))
	require.NoError(t, Reading(ctx, 40<<20))
	require.EqualValues(t, memoryOfAll-40<<20, b.workspaces.memory.Free())
	require.NoError(t, Reading(ctx, 100), "it reads as much as its operation may in any case")
	require.EqualValues(t, memoryOfAll-2<<20, b.workspaces.memory.Free())
	require.NoError(t, Reading(ctx, 1<<30))
	require.EqualValues(t, memoryOfAll-memoryOfCall, b.workspaces.memory.Free(), "never more than one call may")
	require.NoError(t, Reading(t.Context(), 1<<30), "it is no call")
}

func TestACallThatChangesMuchWeighsMore(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	many := &weight.Rows{}
	ctx, changed := weight.Count(t.Context())
	weight.Add(ctx, 250)
	x := &exchange{server: b.Server, route: &Route{}, caller: workspace.Caller{WorkspaceID: "ws_1", APIKeyID: "ak_1"}}
	require.NoError(t, b.take(t.Context(), x, limit.Key, "ak_1"))
	b.weigh(x, many, nil)
	b.weigh(x, changed, fault.NotFound("thing"))
	require.Equal(t, []string{"key/ak_1/ws_1"}, b.limiter.asked)
	b.weigh(x, changed, nil)
	b.weigh(x, changed, fault.ResourceExhausted("storage-quota", "it is full", 0))
	require.Equal(t, []string{"key/ak_1/ws_1", "more key/ak_1 2", "more key/ak_1 2"}, b.limiter.asked)
}

// Calls over a limit wait for their refusal, and calls within it do not wait for them; who comes when too many wait is
// refused at once, and so is who goes away.
func TestCallsOverALimitWaitForTheirRefusal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, sent := newBench(t), make(chan struct{})
		close(sent)
		b.limiter.refuse["ak_over"] = true
		begun := time.Now()
		held := make([]<-chan int, delayedAtMost)
		left, leave := context.WithCancel(t.Context())
		for i := range held {
			ctx := t.Context()
			if i == 0 {
				ctx = left
			}
			held[i] = b.waiting(ctx, "ak_over", -1, sent)
		}
		synctest.Wait()
		require.Equal(t, http.StatusTooManyRequests, <-b.waiting(t.Context(), "ak_over", -1, sent), "one too many waits for nothing")
		require.Equal(t, http.StatusOK, <-b.waiting(t.Context(), "ak_1", -1, sent))
		leave()
		require.Equal(t, http.StatusTooManyRequests, <-held[0])
		require.Zero(t, time.Since(begun))
		for _, answer := range held[1:] {
			require.Equal(t, http.StatusTooManyRequests, <-answer)
		}
		require.Equal(t, refusalDelay, time.Since(begun))
	})
}

// Anonymous callers have room of their own: those of many addresses whose bodies do not come take none of the workspaces'.
func TestAnonymousCallersTakeNoRoomOfWorkspaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, ended := newBench(t), make(chan struct{})
		var held []<-chan int
		for n := range 2 * roomOfAnonymous / DefaultBodyLimit {
			body, more := io.Pipe()
			answered := make(chan int, 1)
			go func() {
				r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v2/test/loose", body)
				r.ContentLength, r.RemoteAddr = DefaultBodyLimit, fmt.Sprintf("[2001:db8:0:%x::1]:5000", n)
				w := httptest.NewRecorder()
				b.ServeHTTP(w, r)
				answered <- w.Code
			}()
			go func() { <-ended; _ = more.Close() }()
			held = append(held, answered)
		}
		synctest.Wait()
		require.Zero(t, b.anonymous.room.Free())
		sent := make(chan struct{})
		close(sent)
		require.Equal(t, http.StatusOK, <-b.waiting(t.Context(), "ak_1", -1, sent))
		close(ended)
		for _, answered := range held {
			<-answered
		}
		require.EqualValues(t, roomOfAnonymous, b.anonymous.room.Free())
		require.EqualValues(t, memoryOfAnonymous, b.anonymous.memory.Free())
	})
}
