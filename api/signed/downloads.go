package signed

import (
	"context"
	"errors"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/internal/blob"
	"github.com/redline-svc/redline/internal/fault"
)

// Opener finds the file of a download. Error: NOT_FOUND.
type Opener interface {
	Open(ctx context.Context, d Download) (*rpc.File, error)
}

// Downloads are the files that tokens lead to.
type Downloads struct {
	Signer

	Versions, Exports Opener
}

// Outgoing is the file that the token of a download leads to.
func (s *Downloads) Outgoing(_ context.Context, token string) (*rpc.Outgoing, error) {
	d, err := s.Read(token)
	if err != nil {
		return nil, err
	}
	opener := s.Versions
	if d.ExportID != "" {
		opener = s.Exports
	}
	return &rpc.Outgoing{WorkspaceID: d.WorkspaceID, Open: func(ctx context.Context) (*rpc.File, error) { return opener.Open(ctx, d) }}, nil
}

// Store keeps files (*blob.Store).
type Store interface {
	Read(ctx context.Context, key string) (blob.Reader, error)
}

// Content opens a file of a store. Errors: NOT_FOUND, UNAVAILABLE.
func Content(ctx context.Context, files Store, key string) (blob.Reader, error) {
	content, err := files.Read(ctx, key)
	if errors.Is(err, blob.ErrMissing) {
		return nil, fault.NotFound("file")
	}
	if err != nil {
		return nil, fault.Unavailable(err)
	}
	return content, nil
}
