package webhook

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	svix "github.com/svix/svix-webhooks/go"
	"pgregory.net/rapid"
)

// whsec is the secret of size bytes counting up from first.
func whsec(first, size int) []byte {
	key := make([]byte, size)
	for i := range key {
		key[i] = byte(first + i)
	}
	return []byte(secretPrefix + base64.StdEncoding.EncodeToString(key))
}

func TestKnownSignatures(t *testing.T) {
	t.Parallel()
	own := `{"event":"comment.add","data":{"name":"Zoë"}}`
	require.Len(t, own, 46)
	for name, c := range map[string]struct {
		secret       []byte
		id           string
		at           int64
		body, signed string
	}{
		"standard vector": {
			[]byte("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"), "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330,
			`{"test": 2432232314}`, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
		},
		"not ASCII, new secret": {whsec(0, 32), "msg_0001", 1700000000, own, "v1,S+Icenxaaw2FDeEN0st/ExUJ86/ioLW4ce4ZXIIa+bI="},
		"not ASCII, old secret": {whsec(32, 32), "msg_0001", 1700000000, own, "v1,96z54EkXcr+XoOt0lLApV1QzwZ7YJiZT9Fd44vVQDZg="},
	} {
		got := Headers(c.secret, c.id, 0, time.Unix(c.at, 0), []byte(c.body))
		assert.Equal(t, c.signed, got.Get("webhook-signature"), name)
	}
}

func TestAnEndpointIsSignedWithEachOfItsSecrets(t *testing.T) {
	t.Parallel()
	const body = `{"event":"comment.add","data":{"name":"Zoë"}}`
	h := EndpointHeaders([][]byte{whsec(0, 32), whsec(32, 32)}, "msg_0001", time.Unix(1700000000, 0), []byte(body))
	assert.Equal(t, http.Header{
		"Content-Type": {"application/json"}, "User-Agent": {"svc-webhooks/1"},
		"Webhook-Id": {"msg_0001"}, "Webhook-Timestamp": {"1700000000"},
		"Webhook-Signature": {"v1,S+Icenxaaw2FDeEN0st/ExUJ86/ioLW4ce4ZXIIa+bI= v1,96z54EkXcr+XoOt0lLApV1QzwZ7YJiZT9Fd44vVQDZg="},
	}, h)
	for _, secret := range [][]byte{whsec(0, 32), whsec(32, 32)} {
		official, err := standardwebhooks.NewWebhook(string(secret))
		require.NoError(t, err)
		require.NoError(t, official.VerifyIgnoringTimestamp([]byte(body), h), "whoever holds one of them accepts it")
	}
}

func TestPlainSignature(t *testing.T) {
	t.Parallel()
	// RFC 4231, test case 2.
	got := Headers([]byte("Jefe"), "evt_1", 3, time.Unix(1700000000, 0), []byte("what do ya want for nothing?"))
	assert.Equal(t, "sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843", got.Get(HeaderSignature))
	assert.Equal(t, "evt_1", got.Get(HeaderEventID))
	assert.Equal(t, "3", got.Get(HeaderAttempt))
	assert.Equal(t, "evt_1", got.Get("webhook-id"))
	assert.Equal(t, "1700000000", got.Get("webhook-timestamp"))
	assert.Equal(t, "application/json", got.Get("content-type"))
}

func TestKeyOfSecret(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"whsec_aGVsbG8gd29ybGQh":    "hello world!",
		"whsec_not base64 at all":   "whsec_not base64 at all",
		"whsec_aGVsbG8gd29ybGQ":     "whsec_aGVsbG8gd29ybGQ", // without its padding it is not base64
		"plain-secret-of-a-caller":  "plain-secret-of-a-caller",
		"WHSEC_aGVsbG8gd29ybGQh123": "WHSEC_aGVsbG8gd29ybGQh123",
		"pässwört-mit-umlauten":     "pässwört-mit-umlauten",
	} {
		assert.Equal(t, want, string(Key([]byte(given))), given)
	}
}

// Both official verifiers accept what is signed, and refuse it with one byte changed.
func TestOfficialVerifiersAccept(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		secret := whsec(rapid.IntRange(0, 200).Draw(t, "first"), rapid.IntRange(24, 64).Draw(t, "size"))
		body := []byte(rapid.StringN(1, 200, -1).Draw(t, "body"))
		h := Headers(secret, "evt_x", rapid.IntRange(0, 9).Draw(t, "attempt"), time.Now(), body)
		for name, verify := range verifiers(t, string(secret)) {
			require.NoError(t, verify(body, h), name)
			changed := append([]byte{}, body...)
			changed[rapid.IntRange(0, len(body)-1).Draw(t, "at")] ^= 1
			require.Error(t, verify(changed, h), name)
		}
	})
}

type verifier func(body []byte, h http.Header) error

func verifiers(t require.TestingT, secret string) map[string]verifier {
	standard, err := standardwebhooks.NewWebhook(secret)
	require.NoError(t, err)
	hooks, err := svix.NewWebhook(secret)
	require.NoError(t, err)
	return map[string]verifier{"standard": standard.Verify, "svix": hooks.Verify}
}

func TestNodeKey(t *testing.T) {
	t.Parallel()
	secret := []byte("a receiver secret")
	key := NodeKey(secret, "publish")
	// HKDF-SHA256 over the secret without salt, info "webhook-node:publish",
	// computed by another implementation.
	assert.Equal(t, nodeKeyOfPublish, key)
	assert.NotEqual(t, key, NodeKey(secret, "publish2"))
	assert.NotEqual(t, key, NodeKey([]byte("another secret"), "publish"))
	assert.Len(t, Key([]byte(key)), nodeKeySize)
	assert.True(t, strings.HasPrefix(key, secretPrefix))
}

const nodeKeyOfPublish = "whsec_EXMV2/fh1GWP8dYtARYiDAoLkpmtuThhsswPDVbwNNw="
