package secret

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"github.com/redline-svc/redline/internal/id"
)

// Sealed values begin with this byte, then the length of the key's name, the
// name, the nonce and what GCM gives (ciphertext and tag).
const sealedFormat = 1

// headerSize is format and length of the name.
const headerSize = 2

// ErrUnreadable is a value that does not open: damaged, moved from another
// row, or sealed with a key that this process does not have.
var ErrUnreadable = errors.New("secret: the value does not open")

// Binding is where a sealed value lives. It is bound to the value: opening it
// with another one fails. Row is the row's id as text, Workspace is empty
// only for rows that belong to no workspace.
type Binding struct {
	Table, Column, Row, Workspace string
}

// Box seals, opens and hashes with the keys of the process. It is safe for use
// by many goroutines.
type Box struct {
	writing  string
	aeads    map[string]cipher.AEAD
	hashKeys []Key
	derived  sync.Map // use -> [][]byte, one derived key for every hash key
}

// NewBox takes the keys, in both lists the writing one first. An encryption key
// that serves as hash key too is refused: the two must not fall together.
func NewBox(encryptionKeys, hashKeys []Key) (*Box, error) {
	if len(encryptionKeys) == 0 || len(hashKeys) == 0 {
		return nil, errors.New("at least one encryption key and one hash key are needed")
	}
	if err := distinct(append(append([]Key{}, encryptionKeys...), renamed(hashKeys)...)); err != nil {
		return nil, err
	}
	box := &Box{
		writing:  encryptionKeys[0].ID,
		aeads:    make(map[string]cipher.AEAD, len(encryptionKeys)),
		hashKeys: append([]Key{}, hashKeys...),
	}
	for _, key := range encryptionKeys {
		aead, err := newAEAD(key)
		if err != nil {
			return nil, err
		}
		box.aeads[key.ID] = aead
	}
	return box, nil
}

// renamed gives hash keys names apart from those of encryption keys, as the two
// lists are named independently.
func renamed(hashKeys []Key) []Key {
	keys := make([]Key, len(hashKeys))
	for i, key := range hashKeys {
		keys[i] = Key{ID: "hash " + key.ID, Bytes: key.Bytes}
	}
	return keys
}

func newAEAD(key Key) (cipher.AEAD, error) {
	if !keyID.MatchString(key.ID) {
		return nil, errors.New("a key has no usable id")
	}
	block, err := aes.NewCipher(key.Bytes[:])
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

// String shows the names of the keys only.
func (b *Box) String() string { return fmt.Sprintf("box(%s, %s)", b.writing, b.HashKeyID()) }

// GoString is String, for the verb %#v.
func (b *Box) GoString() string { return b.String() }

// LogValue shows the names of the keys only.
func (b *Box) LogValue() slog.Value { return slog.StringValue(b.String()) }

// WritingKeyID names the key that Seal uses.
func (b *Box) WritingKeyID() string { return b.writing }

// Seal encrypts plaintext for that binding under the writing key.
func (b *Box) Seal(binding Binding, plaintext []byte) []byte {
	aead := b.aeads[b.writing]
	sealed := make([]byte, 0, headerSize+len(b.writing)+aead.NonceSize()+len(plaintext)+aead.Overhead())
	sealed = append(sealed, sealedFormat, byte(len(b.writing))) //nolint:gosec // keyID allows 32 characters
	sealed = append(sealed, b.writing...)
	nonce := id.Random(aead.NonceSize())
	sealed = append(sealed, nonce...)
	return aead.Seal(sealed, nonce, plaintext, binding.bytes())
}

// Open returns what was sealed for that binding, or ErrUnreadable.
func (b *Box) Open(binding Binding, sealed []byte) ([]byte, error) {
	name, rest, err := splitSealed(sealed)
	if err != nil {
		return nil, err
	}
	aead, known := b.aeads[name]
	if !known {
		return nil, fmt.Errorf("%w: there is no key %s here", ErrUnreadable, name)
	}
	if len(rest) < aead.NonceSize() {
		return nil, ErrUnreadable
	}
	nonce, ciphertext := rest[:aead.NonceSize()], rest[aead.NonceSize():]
	plaintext, err := aead.Open(nil, nonce, ciphertext, binding.bytes())
	if err != nil {
		return nil, ErrUnreadable
	}
	return plaintext, nil
}

// SealedKeyID names the key under which a value was sealed.
func SealedKeyID(sealed []byte) (string, error) {
	name, _, err := splitSealed(sealed)
	return name, err
}

func splitSealed(sealed []byte) (name string, rest []byte, err error) {
	if len(sealed) < headerSize || sealed[0] != sealedFormat {
		return "", nil, ErrUnreadable
	}
	end := headerSize + int(sealed[1])
	if len(sealed) < end || !keyID.Match(sealed[headerSize:end]) {
		return "", nil, ErrUnreadable
	}
	return string(sealed[headerSize:end]), sealed[end:], nil
}

func (p Binding) bytes() []byte {
	return frame(nil, []byte(p.Table), []byte(p.Column), []byte(p.Row), []byte(p.Workspace))
}

// frame writes each part behind its length, so that no two lists of parts give
// the same bytes.
func frame(to []byte, parts ...[]byte) []byte {
	for _, part := range parts {
		to = binary.BigEndian.AppendUint64(to, uint64(len(part)))
		to = append(to, part...)
	}
	return to
}
