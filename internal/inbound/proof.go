package inbound

import (
	"crypto/hmac"
	"crypto/sha1" //nolint:gosec // senders of a custom provider may know no other
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"net/http"
	"strings"

	"github.com/redline-svc/redline/internal/definition"
)

// Proof is what a request has proved itself by. Signature is its signature in
// lower-case hex, empty where the secret itself was sent.
type Proof struct{ Signature string }

// Proved holds a request against the trigger's secret: the signature over the bytes
// of the body as they came or, in mode bearer, the secret itself.
func Proved(t *definition.Inbound, secret string, header http.Header, body []byte) (Proof, bool) {
	if t.AuthMode == definition.AuthBearer {
		scheme, sent, _ := strings.Cut(header.Get("Authorization"), " ")
		return Proof{}, strings.EqualFold(scheme, "bearer") && sameText(sent, secret)
	}
	text, prefixed := strings.CutPrefix(header.Get(t.SignatureHeader), t.SignaturePrefix)
	signature, err := hex.DecodeString(text)
	if !prefixed || err != nil || len(signature) == 0 {
		return Proof{}, false
	}
	proof := Proof{hex.EncodeToString(signature)}
	mac := hmac.New(algorithm(t.SignatureAlgorithm), []byte(secret))
	_, _ = mac.Write(body) // a hash never fails
	return proof, hmac.Equal(signature, mac.Sum(nil))
}

func algorithm(name string) func() hash.Hash {
	if name == "sha1" {
		return sha1.New
	}
	return sha256.New
}

// sameText compares in a time that depends on neither of the texts, nor their lengths.
func sameText(a, b string) bool {
	first, second := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return hmac.Equal(first[:], second[:])
}
