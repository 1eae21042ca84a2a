package labelled

import "crypto/sha256"

// Half is one of the two parts of a set.
type Half int

// Thresholds are tuned on the one half; figures of the other are proof.
const (
	Tuning Half = iota
	Proof
)

// HalfOf returns the half of the item with this id: the first bit of the SHA-256 of the id,
// 0 for Tuning and 1 for Proof. Nobody can move an item but by giving it another id.
func HalfOf(id string) Half {
	sum := sha256.Sum256([]byte(id))
	return Half(sum[0] >> 7)
}
