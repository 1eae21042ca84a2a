package cursor

import (
	"bytes"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"

	"github.com/redline-svc/redline/internal/fault"
)

const (
	// use names the key of tokens among all keys derived from the hash keys.
	use = "redline/cursor/v1"
	// macBytes of the MAC stand in a token: 128 bits.
	macBytes = 16
	// maxToken bounds what is decoded at all, in characters.
	maxToken = 4096
)

// Signer makes and checks keyed hashes; every use has a key of its own, and a
// hash made before a key was replaced is still accepted.
type Signer interface {
	MAC(use string, parts ...[]byte) []byte
	MACs(use string, parts ...[]byte) [][]byte
}

// Codec makes and reads tokens. It is safe for concurrent use.
type Codec struct{ signer Signer }

// New makes a codec.
func New(signer Signer) *Codec { return &Codec{signer: signer} }

var encoding = base64.RawURLEncoding

// Encode makes the token for the page behind position. List names the list,
// filters is what narrows it (not the page size); both values are written as
// JSON, so structs of plain fields.
func (c *Codec) Encode(workspaceID, list string, filters, position any) string {
	at := mustJSON(position)
	mac := c.signer.MAC(use, parts(workspaceID, list, filters, at)...)
	return encoding.EncodeToString(append(bytes.Clone(mac[:macBytes]), at...))
}

// Decode reads the position of a token that Encode made for the same workspace,
// list and filters. Any other token is INVALID_ARGUMENT at the field cursor.
func (c *Codec) Decode(workspaceID, list string, filters any, token string, position any) error {
	return c.DecodeField("cursor", workspaceID, list, filters, token, position)
}

// DecodeField is Decode for lists whose token comes in another field, such as
// pageToken.
func (c *Codec) DecodeField(field, workspaceID, list string, filters any, token string, position any) error {
	refused := fault.InvalidArgument(fault.Issue{
		Code: "format", Path: []string{field}, Message: "is not a token of this list with these filters",
	})
	if len(token) > maxToken {
		return refused
	}
	raw, err := encoding.DecodeString(token)
	// One token has one spelling: the decoder passes over line feeds and over
	// bits of the last character that do not count.
	if err != nil || len(raw) <= macBytes || encoding.EncodeToString(raw) != token {
		return refused
	}
	mac, at := raw[:macBytes], raw[macBytes:]
	if !c.signed(mac, parts(workspaceID, list, filters, at)) || json.Unmarshal(at, position) != nil {
		return refused
	}
	return nil
}

// parts are what a token's MAC binds.
func parts(workspaceID, list string, filters any, position []byte) [][]byte {
	return [][]byte{[]byte(workspaceID), []byte(list), mustJSON(filters), position}
}

// mustJSON writes filters and positions, which are structs of plain fields.
func mustJSON(value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		panic("cursor: " + err.Error())
	}
	return text
}

// signed compares a token's MAC, in constant time, with those that the present
// keys make.
func (c *Codec) signed(mac []byte, of [][]byte) bool {
	ok := 0
	for _, want := range c.signer.MACs(use, of...) {
		ok |= subtle.ConstantTimeCompare(want[:macBytes], mac)
	}
	return ok == 1
}
