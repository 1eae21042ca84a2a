package models

import (
	"encoding/hex"

	"github.com/redline-svc/redline/internal/secret"
)

// ownIDBytes is how much of the hash an id of the service's own shows.
const ownIDBytes = 16

// ownID is the service's own id of what a caller has named: always the same, also
// after the keys of the service were replaced.
func ownID(workspaceID, kind string, names ...string) string {
	parts := [][]byte{[]byte(kind)}
	for _, name := range names {
		parts = append(parts, []byte(name))
	}
	return hex.EncodeToString(secret.Lasting([]byte(workspaceID), parts...)[:ownIDBytes])
}
