package secret

import (
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
)

// MACSize is the length of a MAC in bytes.
const MACSize = sha256.Size

// HashKeyID names the hash key that MAC uses.
func (b *Box) HashKeyID() string { return b.hashKeys[0].ID }

// MAC is the HMAC-SHA-256 of the parts under the first hash key's derivation
// for that use. Each part is framed by its length, so ("ab","c") and ("a","bc")
// differ. A use is a constant such as "redline/key-token/v1".
func (b *Box) MAC(use string, parts ...[]byte) []byte {
	return sum(b.keysFor(use)[0], parts)
}

// MACs is MAC under every hash key, the first one first: while hash keys
// rotate, a look-up by MAC tries all of them.
func (b *Box) MACs(use string, parts ...[]byte) [][]byte {
	keys := b.keysFor(use)
	macs := make([][]byte, len(keys))
	for i, key := range keys {
		macs[i] = sum(key, parts)
	}
	return macs
}

// Verify reports in constant time whether mac was made by MAC, with any of the
// hash keys, for this use and these parts.
func (b *Box) Verify(use string, mac []byte, parts ...[]byte) bool {
	valid := 0
	for _, expected := range b.MACs(use, parts...) {
		valid |= subtle.ConstantTimeCompare(expected, mac)
	}
	return valid == 1
}

// Lasting is a MAC of the parts, framed as those of MAC, under a key that the
// caller keeps: no rotation changes it. It hides the parts only from those who
// do not know the key.
func Lasting(key []byte, parts ...[]byte) []byte { return sum(key, parts) }

// Equal compares two secrets, or two MACs, in a time that depends on their
// lengths only.
func Equal(a, b []byte) bool { return subtle.ConstantTimeCompare(a, b) == 1 }

// DerivedKeys are the keys of a use under the names of the hash keys, the first one first: for
// what is signed in a form that others prescribe.
func (b *Box) DerivedKeys(use string) []Key {
	keys := make([]Key, len(b.hashKeys))
	for i, derived := range b.keysFor(use) {
		keys[i] = Key{ID: b.hashKeys[i].ID, Bytes: [KeySize]byte(derived)}
	}
	return keys
}

// keysFor derives the keys of a use once; uses are few and constant.
func (b *Box) keysFor(use string) [][]byte {
	if known, ok := b.derived.Load(use); ok {
		return known.([][]byte)
	}
	keys := make([][]byte, len(b.hashKeys))
	for i, key := range b.hashKeys {
		derived, err := hkdf.Key(sha256.New, key.Bytes[:], nil, use, KeySize)
		if err != nil {
			// Only a length beyond 255 hashes fails, and the length is a constant.
			panic("secret: " + err.Error())
		}
		keys[i] = derived
	}
	b.derived.Store(use, keys)
	return keys
}

func sum(key []byte, parts [][]byte) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write(frame(nil, parts...))
	return mac.Sum(nil)
}
