package ingestion

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// What hangs until its time is over has failed, and says so while Temporal still listens: so it is tried for so long, and not for ever.
func TestWorkEndsBeforeTheTimeOfItsTry(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		try, end := context.WithTimeout(t.Context(), 2*time.Hour)
		defer end()
		began := time.Now()
		work, cancel := within(try)
		defer cancel()
		<-work.Done()
		require.Equal(t, 2*time.Hour-lastMinute, time.Since(began))
		require.ErrorIs(t, work.Err(), context.DeadlineExceeded)
		require.NoError(t, try.Err())
	})
	forever, cancel := within(t.Context())
	defer cancel()
	require.NoError(t, forever.Err())
}
