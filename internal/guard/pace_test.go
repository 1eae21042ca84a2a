package guard

import (
	"context"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// nobody is an address at which nobody answers.
func nobody(t *testing.T) string {
	t.Helper()
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, closed.Close())
	return "http://" + closed.Addr().String()
}

// Whoever is named as a provider, or by the many steps of an execution, and wants no requests shall not feel it: of a hundred at
// once a few begin in the time that an answer may take, and the others have got none.
func TestAnOriginThatHasNotAnsweredIsCalledFiveTimesASecond(t *testing.T) {
	t.Parallel()
	url := nobody(t)
	synctest.Test(t, func(t *testing.T) {
		g := open(t, Options{AllowCIDRs: []string{"127.0.0.0/8"}})
		hundred := func() (begun int64) {
			var all sync.WaitGroup
			var late atomic.Int64
			for range 100 {
				all.Go(func() {
					ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
					defer cancel()
					_, err := g.Client("k", Provider).Send(ctx, Request{Method: http.MethodPost, URL: url, ReadLimit: 1})
					if ClassOf(err) == ClassTimeout {
						late.Add(1)
					}
				})
			}
			all.Wait()
			return 100 - late.Load()
		}
		require.InDelta(t, 11, hundred(), 1)
		g.Pace().Answered(url, http.StatusAccepted)
		require.EqualValues(t, 100, hundred(), "one that has answered is called by all")
	})
}

// What a call learns of an origin holds for deliveries as well.
func TestAnAnswerOfSuccessLiftsThePaceOfItsOrigin(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]int{http.StatusNotFound: 1, http.StatusAccepted: 50} {
		s := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
		g := local(t, s)
		_, err := send(t, g, "k", s.url, plenty)
		require.NoError(t, err)
		taken, _ := g.Pace().Take(Origin(s.url, Receiver), 50)
		require.Equal(t, want, taken, status)
	}
}
