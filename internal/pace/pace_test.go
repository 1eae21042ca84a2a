package pace

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

const origin = "https://target.test:443"

func TestOriginsThatHaveNotProvedToWantRequestsGetFiveASecond(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := New(time.Now)
		o.Answered(origin, http.StatusFound)
		for range 12 {
			require.NoError(t, o.Wait(t.Context(), origin))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		begun := 0
		for o.Wait(ctx, origin) == nil {
			begun++
		}
		require.InDelta(t, 5, begun, 1)
		taken, wait := o.Take("https://other.test:443", 3)
		require.Equal(t, []any{1, time.Duration(0)}, []any{taken, wait})
		o.GiveBack("https://other.test:443")
		taken, _ = o.Take("https://other.test:443", 3)
		require.Equal(t, 1, taken)
	})
}

func TestOneAnswerLiftsThePaceForADay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := New(time.Now)
		o.Answered(origin, http.StatusNoContent)
		taken, _ := o.Take(origin, 50)
		require.Equal(t, 50, taken)
		time.Sleep(provedFor)
		taken, _ = o.Take(origin, 50)
		require.Equal(t, 1, taken)
	})
}
