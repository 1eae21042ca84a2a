package execution

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/guard"
	"github.com/redline-svc/redline/internal/pace"
)

// answers is a sender whose every answer has the same status.
type answers struct {
	status int
	sent   *atomic.Int64
}

func (a answers) Send(context.Context, guard.Request) (*guard.Response, error) {
	a.sent.Add(1)
	return &guard.Response{Status: a.status}, nil
}

// The steps of an execution may all name one address of somebody else.
func TestManyStepsReachAnUnprovenOriginFiveTimesASecond(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]float64{http.StatusNotFound: 11, http.StatusAccepted: 100} {
		synctest.Test(t, func(t *testing.T) {
			var sent atomic.Int64
			to := paced{answers{status, &sent}, pace.New(time.Now)}
			var steps sync.WaitGroup
			for range 100 {
				steps.Go(func() {
					got := send(t.Context(), to, guard.Request{URL: "https://stranger.test/hook"}, 2*time.Second, time.Now)
					if got.err != nil {
						assert.Equal(t, guard.ClassTimeout, guard.ClassOf(got.err))
					}
				})
			}
			steps.Wait()
			require.InDelta(t, want, sent.Load(), 1, "%d", status)
		})
	}
}
