package envelope

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Form is how a workspace wants its bodies.
type Form struct {
	// Protected leaves names, addresses, texts and the callers' own data out.
	Protected bool
	// IDsOnly leaves everything but ids out.
	IDsOnly bool
	// Encoded wraps the JSON in base64.
	Encoded bool
	// Key encrypts, and wins over Encoded; nil does not.
	Key *rsa.PublicKey
}

// encodedBody is the body of an encoded message.
type encodedBody struct {
	Payload []byte `json:"encodedPayload"`
}

// encryptedBody is the body of an encrypted message: AES-256-CBC with PKCS #7
// padding, the key wrapped by RSA-OAEP with SHA-256.
type encryptedBody struct {
	Data []byte `json:"encryptedData"`
	Key  []byte `json:"encryptedKey"`
	IV   []byte `json:"iv"`
}

// contentKey is the length of a message's own key in bytes.
const contentKey = 32

// size is how many bytes pack makes of so many, or a few more.
func (f Form) size(plain int) int {
	const names = 64 // names, quotes and braces of either wrapping
	switch {
	case f.Key != nil:
		padded := plain + aes.BlockSize
		return base64.StdEncoding.EncodedLen(padded) + base64.StdEncoding.EncodedLen(f.Key.Size()) +
			base64.StdEncoding.EncodedLen(aes.BlockSize) + names
	case f.Encoded:
		return base64.StdEncoding.EncodedLen(plain) + names
	default:
		return plain
	}
}

func (f Form) pack(body []byte) ([]byte, error) {
	switch {
	case f.Key != nil:
		return encrypt(f.Key, body)
	case f.Encoded:
		return encode(encodedBody{body})
	default:
		return body, nil
	}
}

func encrypt(to *rsa.PublicKey, body []byte) ([]byte, error) {
	var key [contentKey]byte
	var iv [aes.BlockSize]byte
	_, _ = rand.Read(key[:]) // never fails: the runtime ends the process instead
	_, _ = rand.Read(iv[:])
	wrapped, err := rsa.EncryptOAEP(sha256.New(), rand.Reader, to, key[:], nil)
	if err != nil {
		return nil, fmt.Errorf("wrap the key of a message: %w", err)
	}
	block, err := aes.NewCipher(key[:])
	if err != nil {
		return nil, err
	}
	padding := aes.BlockSize - len(body)%aes.BlockSize
	data := append(slices.Clone(body), slices.Repeat([]byte{byte(padding)}, padding)...)
	cipher.NewCBCEncrypter(block, iv[:]).CryptBlocks(data, data)
	return encode(encryptedBody{data, wrapped, iv[:]})
}

// Bounds of a public key, in bits.
const (
	minKeyBits = 2048
	maxKeyBits = 4096
)

// pemLines are what a PEM file has around its base64.
var pemLines = regexp.MustCompile(`-----[^-]*-----`)

// ParseKey reads an RSA public key: DER in base64, with or without the lines of
// PEM. bare is the base64 alone. The error is for the caller.
func ParseKey(text string) (key *rsa.PublicKey, bare string, err error) {
	bare = strings.Join(strings.Fields(pemLines.ReplaceAllString(text, " ")), "")
	der, err := base64.StdEncoding.DecodeString(bare)
	if err != nil {
		return nil, "", errors.New("must be DER in base64")
	}
	if key = publicKey(der); key == nil {
		return nil, "", errors.New("must be an RSA public key")
	}
	if bits := key.N.BitLen(); bits < minKeyBits || bits > maxKeyBits {
		return nil, "", fmt.Errorf("must have %d to %d bits", minKeyBits, maxKeyBits)
	}
	// Not every pair of numbers that reads as a key is one.
	if _, err := rsa.EncryptOAEP(sha256.New(), rand.Reader, key, nil, nil); err != nil {
		return nil, "", errors.New("is no key that can be encrypted to")
	}
	return key, bare, nil
}

// publicKey reads both forms in which tools write such keys.
func publicKey(der []byte) *rsa.PublicKey {
	if parsed, err := x509.ParsePKIXPublicKey(der); err == nil {
		key, _ := parsed.(*rsa.PublicKey)
		return key
	}
	key, err := x509.ParsePKCS1PublicKey(der)
	if err != nil {
		return nil
	}
	return key
}
