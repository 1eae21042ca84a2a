package memory

import (
	"context"
	"io"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/internal/fault"
)

// Download gives the canonical markdown of a source's live version, null where there is
// none. A version that another one replaces meanwhile keeps its file for longer than it
// takes to open it.
func (k *Knowledge) Download(ctx context.Context, req *NamedSource) (*rpc.Text, error) {
	key, err := k.Store.Canonical(ctx, rpc.CallerFrom(ctx).WorkspaceID, req.SourceID)
	if err != nil || key == "" {
		return &rpc.Text{}, err
	}
	return &rpc.Text{Open: func(ctx context.Context) (io.ReadCloser, error) {
		file, err := k.Files.Read(ctx, key)
		if err != nil {
			return nil, fault.Away(err)
		}
		return file, nil
	}}, nil
}
