package webhook

import (
	"testing"

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
