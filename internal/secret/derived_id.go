package secret

import "encoding/hex"

// derivedIDBytes is how much of the hash a derived id shows.
const derivedIDBytes = 16

// DerivedID is the service's own id of what a caller has named: always the same,
// also after the keys of the service were replaced.
func DerivedID(workspaceID, kind string, names ...string) string {
	parts := [][]byte{[]byte(kind)}
	for _, name := range names {
		parts = append(parts, []byte(name))
	}
	return hex.EncodeToString(Lasting([]byte(workspaceID), parts...)[:derivedIDBytes])
}
