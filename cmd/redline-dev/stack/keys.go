package stack

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
)

// keys are the service's own secrets, made once and kept with the data they open.
type keys struct {
	Encryption string `json:"encryption"`
	Hash       string `json:"hash"`
}

func openKeys(file string) (keys, error) {
	var kept keys
	text, err := os.ReadFile(file)
	if err == nil {
		if err := json.Unmarshal(text, &kept); err != nil {
			return kept, fmt.Errorf("%s is damaged and the data cannot be opened without it; redline-dev --reset begins again: %w", file, err)
		}
		return kept, nil
	}
	if !errors.Is(err, os.ErrNotExist) {
		return kept, err
	}
	kept = keys{Encryption: newKey(), Hash: newKey()}
	if text, err = json.Marshal(kept); err != nil {
		return kept, err
	}
	return kept, os.WriteFile(file, append(text, '\n'), 0o600)
}

// newKey is a key in the form of the configuration: an id and 32 random bytes.
func newKey() string {
	var key [32]byte
	_, _ = rand.Read(key[:])
	return "dev:" + base64.StdEncoding.EncodeToString(key[:])
}
