package kit

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"testing"

	"github.com/stretchr/testify/require"
)

// EncryptionKey makes a pair of RSA keys; public is as it is sent, DER in base64.
func EncryptionKey(t *testing.T) (private *rsa.PrivateKey, public string) {
	t.Helper()
	private, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	der, err := x509.MarshalPKIXPublicKey(&private.PublicKey)
	require.NoError(t, err)
	return private, base64.StdEncoding.EncodeToString(der)
}
