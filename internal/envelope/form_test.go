package envelope

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

var makeTestKey = sync.OnceValues(func() (*rsa.PrivateKey, error) { return rsa.GenerateKey(rand.Reader, minKeyBits) })

func testKey(t *testing.T) *rsa.PrivateKey {
	t.Helper()
	key, err := makeTestKey()
	require.NoError(t, err)
	return key
}

// open undoes encrypt as a receiver does.
func open(t require.TestingT, key *rsa.PrivateKey, body []byte) []byte {
	var sent struct{ EncryptedData, EncryptedKey, IV []byte }
	require.NoError(t, json.Unmarshal(body, &sent))
	content, err := rsa.DecryptOAEP(sha256.New(), nil, key, sent.EncryptedKey, nil)
	require.NoError(t, err)
	require.Len(t, content, 32)
	block, err := aes.NewCipher(content)
	require.NoError(t, err)
	cipher.NewCBCDecrypter(block, sent.IV).CryptBlocks(sent.EncryptedData, sent.EncryptedData)
	padding := int(sent.EncryptedData[len(sent.EncryptedData)-1])
	return sent.EncryptedData[:len(sent.EncryptedData)-padding]
}

func TestPackedBodiesCanBeRead(t *testing.T) {
	t.Parallel()
	key := testKey(t)
	rapid.Check(t, func(t *rapid.T) {
		body := rapid.SliceOf(rapid.Byte()).Draw(t, "body")
		for _, form := range []Form{{}, {Encoded: true}, {Key: &key.PublicKey, Encoded: true}} {
			sent, err := form.pack(body)
			require.NoError(t, err)
			require.GreaterOrEqual(t, form.size(len(body)), len(sent))
			switch {
			case form.Key != nil:
				require.Equal(t, body, append([]byte{}, open(t, key, sent)...))
			case form.Encoded:
				var read struct{ EncodedPayload []byte }
				require.NoError(t, json.Unmarshal(sent, &read))
				require.Equal(t, body, append([]byte{}, read.EncodedPayload...))
			default:
				require.Equal(t, body, sent)
			}
		}
	})
}

func TestEachMessageHasAKeyOfItsOwn(t *testing.T) {
	t.Parallel()
	form := Form{Key: &testKey(t).PublicKey}
	first, err := form.pack([]byte("{}"))
	require.NoError(t, err)
	second, err := form.pack([]byte("{}"))
	require.NoError(t, err)
	var a, b encryptedBody
	require.NoError(t, json.Unmarshal(first, &a))
	require.NoError(t, json.Unmarshal(second, &b))
	assert.False(t, bytes.Equal(a.Key, b.Key) || bytes.Equal(a.IV, b.IV) || bytes.Equal(a.Data, b.Data))
}

func TestPublicKeysAsToolsWriteThem(t *testing.T) {
	t.Parallel()
	key := testKey(t)
	der, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	require.NoError(t, err)
	bare := base64.StdEncoding.EncodeToString(der)
	for _, text := range []string{
		bare, string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})),
		"-----BEGIN PUBLIC KEY-----" + bare + "-----END PUBLIC KEY-----",
	} {
		read, got, err := ParseKey(text)
		require.NoError(t, err, text)
		assert.True(t, key.PublicKey.Equal(read))
		assert.Equal(t, bare, got)
	}
	older := x509.MarshalPKCS1PublicKey(&key.PublicKey)
	read, _, err := ParseKey(string(pem.EncodeToMemory(&pem.Block{Type: "RSA PUBLIC KEY", Bytes: older})))
	require.NoError(t, err)
	assert.True(t, key.PublicKey.Equal(read))
}

func TestKeysThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	short, err := x509.MarshalPKIXPublicKey(&rsa.PublicKey{N: testKey(t).Primes[0], E: 65537})
	require.NoError(t, err)
	even, err := x509.MarshalPKIXPublicKey(&rsa.PublicKey{N: testKey(t).N, E: 65536})
	require.NoError(t, err)
	curve, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	other, err := x509.MarshalPKIXPublicKey(&curve.PublicKey)
	require.NoError(t, err)
	for text, want := range map[string]string{
		"not base64!": "base64", "aGVsbG8=": "RSA", base64.StdEncoding.EncodeToString(other): "RSA",
		base64.StdEncoding.EncodeToString(short): "bits", base64.StdEncoding.EncodeToString(even): "encrypted to",
	} {
		_, _, err := ParseKey(text)
		assert.ErrorContains(t, err, want)
	}
}
