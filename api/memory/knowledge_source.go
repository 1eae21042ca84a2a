package memory

import (
	"context"
	"io"
	"strings"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/knowledge"
)

// DeleteSource names the source that goes.
type DeleteSource struct {
	SourceID string `json:"sourceId" minLength:"1" maxLength:"200" notBlank:"true"`
	Force    bool   `json:"force,omitempty" doc:"also while a version is being brought in, which ends then"`
}

// SourceDeleted says what went with the live version of a source.
type SourceDeleted struct {
	Status        string `json:"status" enum:"deleted"`
	SourceID      string `json:"sourceId"`
	DeletedChunks int    `json:"deletedChunks"`
	DeletedRules  int    `json:"deletedRules"`
}

// Delete removes a source with all its versions and files.
func (k *Knowledge) Delete(ctx context.Context, req *DeleteSource) (*SourceDeleted, error) {
	gone, err := k.Store.Delete(ctx, rpc.CallerFrom(ctx).WorkspaceID, req.SourceID, req.Force)
	if err != nil {
		return nil, err
	}
	return &SourceDeleted{Status: "deleted", SourceID: req.SourceID, DeletedChunks: gone.Chunks, DeletedRules: gone.Rules}, nil
}

// ExampleSourceDeleted is the documented result of knowledge/delete.
const ExampleSourceDeleted = `{"status":"deleted","sourceId":"src_01kdvm9w00abcdefghjkmnpqrs","deletedChunks":12,"deletedRules":3}`

// Retry brings the newest version of a source in again after it has failed.
func (k *Knowledge) Retry(ctx context.Context, req *NamedSource) (*IngestResult, error) {
	if err := k.Store.Retry(ctx, rpc.CallerFrom(ctx).WorkspaceID, req.SourceID, knowledge.CurrentMakers()); err != nil {
		return nil, err
	}
	return &IngestResult{Status: "processing", SourceID: req.SourceID, Message: "The source is being brought in again."}, nil
}

// ExampleRetry is the documented result of knowledge/retry.
const ExampleRetry = `{"status":"processing","sourceId":"src_01kdvm9w00abcdefghjkmnpqrs","message":"The source is being brought in again."}`

// Download returns the canonical markdown of a source's live version, null where there is
// none. A version that another one replaces meanwhile keeps its file for longer than it
// takes to read it.
func (k *Knowledge) Download(ctx context.Context, req *NamedSource) (**string, error) {
	key, err := k.Store.Canonical(ctx, rpc.CallerFrom(ctx).WorkspaceID, req.SourceID)
	if err != nil || key == "" {
		return new(*string), err
	}
	text, err := k.readText(ctx, key)
	if err != nil {
		return nil, err
	}
	return new(&text), nil
}

// textTakes is how much memory a text takes of which each byte is read and answered: itself, as JSON, and the
// answer that it is copied into.
const textTakes = 4

// readText reads a whole file. Error: RESOURCE_EXHAUSTED busy, where there is no room for it beside other calls; UNAVAILABLE.
func (k *Knowledge) readText(ctx context.Context, key string) (string, error) {
	file, err := k.Files.Read(ctx, key)
	if err != nil {
		return "", fault.Unavailable(err)
	}
	defer func() { _ = file.Close() }()
	if err := rpc.Reading(ctx, textTakes*file.Size()); err != nil {
		return "", err
	}
	var text strings.Builder
	text.Grow(int(file.Size()))
	if _, err = io.Copy(&text, file); err != nil {
		return "", fault.Unavailable(err)
	}
	return text.String(), nil
}
