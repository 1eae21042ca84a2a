package attempt_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/extract"
	"github.com/redline-svc/redline/internal/extract/attempt"
)

// try is what one of them comes to, after how long.
type try struct {
	takes time.Duration
	err   error
}

var (
	locked = extract.Fail(extract.Encrypted, "It is locked.")
	crash  = try{time.Second, fmt.Errorf("%w: a trap", attempt.ErrCrashed)}
	hang   = try{attempt.HangLimit, attempt.ErrHung}
	fault  = try{time.Second, locked}
)

// reason is why a file fails whose tries come to that, if each waits so long for its
// converter.
func reason(t *testing.T, wait time.Duration, tries ...try) string {
	t.Helper()
	fresh := 0
	_, err := attempt.Convert(t.Context(), func(context.Context) (int, error) {
		time.Sleep(wait)
		fresh++
		return fresh, nil
	}, func(ctx context.Context, converter int, left time.Duration) (extract.Document, error) {
		now := tries[converter-1]
		if now.takes > left {
			time.Sleep(left)
			return extract.Document{}, context.DeadlineExceeded
		}
		time.Sleep(now.takes)
		return extract.Document{}, now.err
	})
	require.Equal(t, len(tries), fresh)
	require.NotNil(t, extract.AsFailure(err), "%v", err)
	return extract.AsFailure(err).Reason
}

// A file that has to wait until others are converted has its whole time left, and no more
// than that.
func TestWaitingForAConverterTakesNoTimeOfTheFile(t *testing.T) {
	t.Parallel()
	for takes, why := range map[time.Duration]string{attempt.Limit - time.Second: extract.Encrypted, attempt.Limit + time.Second: extract.Timeout} {
		synctest.Test(t, func(t *testing.T) {
			require.Equal(t, why, reason(t, 2*attempt.Limit, try{takes, locked}))
		})
	}
}

// A file is tried three times, each by a fresh converter, when the ones before crashed or
// hung. The last try says what the file's fault is.
func TestCrashesAndHangsAreTriedAgain(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		tries []try
		why   string
	}{
		"two crashes":         {[]try{crash, crash, fault}, extract.Encrypted},
		"three crashes":       {[]try{crash, crash, crash}, extract.Corrupt},
		"two hangs":           {[]try{hang, hang, {0, locked}}, extract.Encrypted},
		"three hangs":         {[]try{hang, hang, hang}, extract.Timeout},
		"a crash, then hangs": {[]try{crash, hang, hang}, extract.Timeout},
		"hangs, then a crash": {[]try{hang, hang, {0, crash.err}}, extract.Corrupt},
		"a fault":             {[]try{fault}, extract.Encrypted},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				require.Equal(t, c.why, reason(t, 0, c.tries...))
				require.LessOrEqual(t, time.Since(began), attempt.Limit)
			})
		})
	}
}
