package ingestion

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/redline-svc/redline/activities"
	"github.com/redline-svc/redline/internal/extract"
	"github.com/redline-svc/redline/models/knowledge"
)

// FileReader reads whole files.
type FileReader interface {
	ReadAll(ctx context.Context, key string) ([]byte, error)
}

// FileWriter writes whole files.
type FileWriter interface {
	Write(ctx context.Context, key, contentType string, content io.Reader) error
}

// convert makes the canonical markdown and keeps it as a file. Its key holds
// source and version, so a repeat writes the same file again.
func (i *Activities) convert(ctx context.Context, v knowledge.VersionRef, in knowledge.StageInput) error {
	document, err := i.document(ctx, v, in)
	if err != nil {
		return err
	}
	metadata, err := json.Marshal(document.Metadata)
	if err != nil {
		return err
	}
	key := canonicalKey(v)
	if err := i.Files.Write(ctx, key, "text/markdown; charset=utf-8", strings.NewReader(document.Markdown)); err != nil {
		return err
	}
	return i.Rows.Converted(ctx, v, key, metadata)
}

// canonicalKey is where the canonical markdown of a version is kept.
func canonicalKey(v knowledge.VersionRef) string {
	return fmt.Sprintf("sources/%s/%s/v%d/canonical.md", v.WorkspaceID, v.SourceID, v.Version)
}

func (i *Activities) document(ctx context.Context, v knowledge.VersionRef, in knowledge.StageInput) (document extract.Document, err error) {
	converter := i.Converters[in.MimeType]
	if converter == nil {
		return document, extract.Fail(extract.UnsupportedFormat, "Files of this type are not taken in.")
	}
	err = i.confined(ctx, v, in.OriginalKey, func(file []byte) error {
		document, err = converter.Convert(ctx, file)
		return err
	})
	return document, err
}

// confined releases the slot before it waits to read a file in a process of its own, which
// may take minutes each. The file is read when its turn comes, so that those who wait take no
// memory.
func (i *Activities) confined(ctx context.Context, v knowledge.VersionRef, key string, read func(file []byte) error) error {
	defer activities.GiveBack(ctx, i.slots, v.WorkspaceID)()
	if err := activities.Acquire(ctx, i.converters, v.WorkspaceID); err != nil {
		return err
	}
	defer i.converters.Release(v.WorkspaceID, 1)
	file, err := i.Files.ReadAll(ctx, key)
	if err != nil {
		return err
	}
	return read(file)
}

func (i *Activities) chunk(ctx context.Context, v knowledge.VersionRef, in knowledge.StageInput) error {
	var rows []knowledge.StoredChunk
	err := i.confined(ctx, v, in.CanonicalKey, func(text []byte) (err error) {
		rows, err = i.Drawing.Chunks(ctx, text)
		return err
	})
	if err != nil {
		return err
	}
	return i.Rows.StoreChunks(ctx, v, rows, knowledge.CurrentMakers().String())
}

func (i *Activities) extractRules(ctx context.Context, v knowledge.VersionRef, in knowledge.StageInput) error {
	var drawn knowledge.DrawnRules
	err := i.confined(ctx, v, in.CanonicalKey, func(text []byte) (err error) {
		drawn, err = i.Drawing.Rules(ctx, text)
		return err
	})
	if err != nil {
		return err
	}
	return i.Rows.StoreRules(ctx, v, drawn.Rules, drawn.Metadata)
}
