package memory

import (
	"context"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/api/signed"
	"github.com/redline-svc/redline/models/knowledge"
)

// The files of a version that can be downloaded.
const (
	fileOriginal  = "original"
	fileCanonical = "canonical"
)

// downloadURL signs an address of a file of a version.
func (k *Knowledge) downloadURL(v knowledge.VersionRef, file string) string {
	d := signed.Download{WorkspaceID: v.WorkspaceID, SourceID: v.SourceID, Version: v.Version, File: file}
	return signed.Signer{Box: k.Box, PublicURL: k.PublicURL}.URL(d)
}

// Open finds the file of a version.
func (k *Knowledge) Open(ctx context.Context, d signed.Download) (*rpc.File, error) {
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
	content, err := signed.Content(ctx, k.Files, key)
	if err != nil {
		return nil, err
	}
	file.Content = content
	return file, nil
}
