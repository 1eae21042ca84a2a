package secret

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"strings"

	"github.com/redline-svc/redline/internal/id"
)

// KeySize is the length of every key in bytes: AES-256, and as much for hashes.
const KeySize = 32

// keyID limits the names of keys: they are stored in front of every value
// (one byte of length) and shown to operators.
var keyID = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,32}$`)

// Key is one key with the name under which sealed values refer to it.
type Key struct {
	ID    string
	Bytes [KeySize]byte
}

// NewKey makes a key of random bytes.
func NewKey(keyID string) Key {
	return Key{ID: keyID, Bytes: [KeySize]byte(id.Random(KeySize))}
}

// String is the name alone, so that a printed key shows no bytes.
func (k Key) String() string { return "key " + k.ID }

// GoString is String, for the verb %#v.
func (k Key) GoString() string { return k.String() }

// LogValue is the name alone.
func (k Key) LogValue() slog.Value { return slog.StringValue(k.String()) }

// Encode is the form that ParseKeys reads: the name, a colon and base64.
func (k Key) Encode() string {
	return k.ID + ":" + base64.StdEncoding.EncodeToString(k.Bytes[:])
}

// Fingerprint tells the key from others and says nothing of it: all of a key's bytes are
// random, so they cannot be found by trying.
func (k Key) Fingerprint() string {
	return hex.EncodeToString(Lasting(k.Bytes[:], []byte("redline/fingerprint/v1"))[:fingerprintBytes])
}

// fingerprintBytes is how much of the hash a fingerprint shows.
const fingerprintBytes = 16

// ParseKeys reads "id:base64,id:base64,...", standard base64 of exactly 32
// bytes each, the first one being the one that writes. Its errors name the
// position of the faulty entry and never its text, which may be a key.
func ParseKeys(text string) ([]Key, error) {
	if strings.TrimSpace(text) == "" {
		return nil, errors.New("there is no key")
	}
	entries := strings.Split(text, ",")
	keys := make([]Key, 0, len(entries))
	for i, entry := range entries {
		key, err := parseKey(strings.TrimSpace(entry))
		if err != nil {
			return nil, fmt.Errorf("key %d: %w", i+1, err)
		}
		keys = append(keys, key)
	}
	return keys, distinct(keys)
}

func parseKey(entry string) (Key, error) {
	name, encoded, found := strings.Cut(entry, ":")
	if !found || !keyID.MatchString(name) {
		return Key{}, errors.New("it must begin with an id of 1 to 32 characters of A-Z a-z 0-9 _ . - and a colon")
	}
	raw, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return Key{}, errors.New("what follows the colon is not standard base64")
	}
	if len(raw) != KeySize {
		return Key{}, fmt.Errorf("it has %d bytes instead of %d", len(raw), KeySize)
	}
	return Key{ID: name, Bytes: [KeySize]byte(raw)}, nil
}

// distinct refuses two keys of one name or of one value.
func distinct(keys []Key) error {
	for i, key := range keys {
		for _, earlier := range keys[:i] {
			if key.ID == earlier.ID {
				return fmt.Errorf("two keys are named %s", key.ID)
			}
			if key.Bytes == earlier.Bytes {
				return fmt.Errorf("keys %s and %s are the same key", earlier.ID, key.ID)
			}
		}
	}
	return nil
}
