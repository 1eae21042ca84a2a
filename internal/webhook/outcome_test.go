package webhook

import (
	"math"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

func TestClassOfReceiversAnswer(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]Class{
		200: OK, 204: OK, 299: OK, 301: Redirect, 304: Redirect, 400: ClientError, 404: ClientError,
		410: ClientError, 408: ClientError, 429: Throttled, 500: ServerError, 503: Throttled, 599: ServerError, 999: ServerError,
	} {
		assert.Equal(t, want, ReceiverClass(status), "%d", status)
	}
}

func TestAnEndpointThatIsGoneSaysSo(t *testing.T) {
	t.Parallel()
	assert.Equal(t, Gone, EndpointClass(410))
	for _, status := range []int{200, 302, 404, 429, 500, 503} {
		assert.Equal(t, ReceiverClass(status), EndpointClass(status), "%d", status)
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	const date, later = "Thu, 01 Jan 2026 11:00:00 GMT", "Thu, 01 Jan 2026 11:02:00 GMT"
	for _, c := range []struct {
		header http.Header
		want   time.Duration
		asked  bool
	}{
		{http.Header{}, 0, false},
		{http.Header{"Retry-After": {"120"}}, 2 * time.Minute, true},
		{http.Header{"Retry-After": {" 0 "}}, 0, true},
		{http.Header{"Retry-After": {"-5"}}, 0, false},
		{http.Header{"Retry-After": {"soon"}}, 0, false},
		{http.Header{"Retry-After": {"2147483647"}}, math.MaxInt32 * time.Second, true},
		{http.Header{"Retry-After": {"2147483648"}}, math.MaxInt32 * time.Second, true},
		{http.Header{"Retry-After": {"99999999999999999999"}}, math.MaxInt32 * time.Second, true},
		{http.Header{"Retry-After": {"-99999999999999999999"}}, 0, false},
		{http.Header{"Retry-After": {later}, "Date": {date}}, 2 * time.Minute, true},
		{http.Header{"Retry-After": {date}, "Date": {later}}, 0, true},
		{http.Header{"Retry-After": {"Thu, 01 Jan 2026 12:00:30 GMT"}}, 30 * time.Second, true},
	} {
		got, asked := RetryAfter(c.header, now)
		assert.Equal(t, c.want, got, "%v", c.header)
		assert.Equal(t, c.asked, asked, "%v", c.header)
	}
}

func TestEveryAnswerHasAClassThatIsAnAnswer(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		status := rapid.IntRange(200, 999).Draw(t, "status")
		class := ReceiverClass(status)
		assert.True(t, class.Answered())
		assert.Equal(t, status < 300, class == OK)
		assert.Equal(t, class == OK, class.Final())
	})
}

func TestOnlySuccessAndRefusalAreFinal(t *testing.T) {
	t.Parallel()
	for _, c := range []Class{Redirect, Gone, Throttled, ClientError, ServerError, Timeout, DNS, Unreachable, TLS, Interrupted} {
		assert.False(t, c.Final(), c)
	}
	for _, c := range []Class{Timeout, DNS, Unreachable, TLS, RefusedByPolicy, Interrupted, Cancelled} {
		assert.False(t, c.Answered(), c)
	}
	assert.True(t, RefusedByPolicy.Final())
}
