package signed

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"time"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/secret"
)

// Path is where files are taken and given out, each under its token.
const Path = "/v2/memory/files/"

// Life is how long an address is good for.
const Life = 15 * time.Minute

// macUse is the use of the key that signs the tokens of downloads.
const macUse = "redline/download-token/v1"

// Download is what the token of a download says: a file of a version of a source, or the export of a
// person.
type Download struct {
	WorkspaceID string `json:"w"`
	SourceID    string `json:"s,omitempty"`
	Version     int    `json:"v,omitempty"`
	File        string `json:"f,omitempty"`
	ExportID    string `json:"x,omitempty"`
	Expires     int64  `json:"e"`
}

// Signer makes addresses and reads their tokens. PublicURL is the base of addresses, without a slash.
type Signer struct {
	Box       *secret.Box
	PublicURL string
}

// URL is an address of a file, good for Life from now on.
func (s Signer) URL(d Download) string {
	d.Expires = time.Now().Add(Life).UnixMilli()
	payload, err := json.Marshal(d)
	if err != nil {
		return ""
	}
	return s.PublicURL + Path + written(payload, s.Box.MAC(macUse, payload))
}

func written(payload, mac []byte) string {
	encode := base64.RawURLEncoding.EncodeToString
	return encode(payload) + "." + encode(mac)
}

// Read returns what a token says. Error: NOT_FOUND of one that was not signed here or is over.
func (s Signer) Read(token string) (Download, error) {
	var d Download
	text, signature, _ := strings.Cut(token, ".")
	payload, err := base64.RawURLEncoding.DecodeString(text)
	mac, macErr := base64.RawURLEncoding.DecodeString(signature)
	// One token has one spelling, of which the decoder passes over some bits and
	// line feeds.
	spelled := err == nil && macErr == nil && written(payload, mac) == token
	if !spelled || !s.Box.Verify(macUse, mac, payload) || json.Unmarshal(payload, &d) != nil || time.Now().UnixMilli() >= d.Expires {
		return Download{}, fault.NotFound("file")
	}
	return d, nil
}
