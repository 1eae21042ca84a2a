package memory

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/internal/blob"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/knowledge"
)

// downloadKey is the use of the key that signs the tokens of downloads.
const downloadKey = "redline/download-token/v1"

// The files of a version that can be downloaded.
const (
	fileOriginal  = "original"
	fileCanonical = "canonical"
)

// download is what the token of a download says.
type download struct {
	WorkspaceID string `json:"w"`
	SourceID    string `json:"s"`
	Version     int    `json:"v"`
	File        string `json:"f"`
	Expires     int64  `json:"e"`
}

// downloadURL signs an address of a file of a version, good for 15 minutes.
func (k *Knowledge) downloadURL(v knowledge.VersionRef, file string) string {
	payload, err := json.Marshal(download{v.WorkspaceID, v.SourceID, v.Version, file, time.Now().Add(knowledge.UploadLife).UnixMilli()})
	if err != nil {
		return ""
	}
	return k.PublicURL + FilesPath + writtenToken(payload, k.Box.MAC(downloadKey, payload))
}

func writtenToken(payload, mac []byte) string {
	encode := base64.RawURLEncoding.EncodeToString
	return encode(payload) + "." + encode(mac)
}

// readToken returns what a token says. Error: NOT_FOUND of one that was not
// signed here or is over.
func (k *Knowledge) readToken(token string) (download, error) {
	var d download
	text, signature, _ := strings.Cut(token, ".")
	payload, err := base64.RawURLEncoding.DecodeString(text)
	mac, macErr := base64.RawURLEncoding.DecodeString(signature)
	// One token has one spelling, of which the decoder passes over some bits and
	// line feeds.
	spelled := err == nil && macErr == nil && writtenToken(payload, mac) == token
	if !spelled || !k.Box.Verify(downloadKey, mac, payload) || json.Unmarshal(payload, &d) != nil || time.Now().UnixMilli() >= d.Expires {
		return download{}, fault.NotFound("file")
	}
	return d, nil
}

// Outgoing is the file that the token of a download leads to.
func (k *Knowledge) Outgoing(_ context.Context, token string) (*rpc.Outgoing, error) {
	d, err := k.readToken(token)
	if err != nil {
		return nil, err
	}
	open := func(ctx context.Context) (*rpc.File, error) { return k.openFile(ctx, d) }
	return &rpc.Outgoing{WorkspaceID: d.WorkspaceID, Open: open}, nil
}

// openFile finds the file of a download.
func (k *Knowledge) openFile(ctx context.Context, d download) (*rpc.File, error) {
	stored, err := k.Store.Stored(ctx, d.WorkspaceID, d.SourceID, d.Version)
	if err != nil {
		return nil, err
	}
	file := &rpc.File{Name: stored.FileName, MimeType: stored.MimeType}
	key := stored.OriginalKey
	if d.File == fileCanonical {
		key = stored.CanonicalKey
	}
	// What was replaced by text keeps its name, whatever the type that names.
	if d.File == fileCanonical || file.MimeType == knowledge.TypeMarkdown {
		file.Name, file.MimeType = stored.FileName+".md", "text/markdown; charset=utf-8"
	}
	content, err := k.Files.Read(ctx, key)
	if errors.Is(err, blob.ErrMissing) {
		return nil, fault.NotFound("file")
	}
	if err != nil {
		return nil, fault.Unavailable(err)
	}
	file.Content = content
	return file, nil
}
