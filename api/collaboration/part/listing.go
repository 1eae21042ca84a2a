package part

import (
	"context"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/internal/cursor"
	"github.com/redline-svc/redline/internal/fault"
)

// SettingsReader knows what a workspace allows.
type SettingsReader interface {
	AdvancedQueries(ctx context.Context, workspaceID string) (bool, error)
}

// Listing is what operations need that read lists.
type Listing struct {
	Settings SettingsReader
	Cursors  *cursor.Codec
}

// Allowed refuses a read that the workspace has switched off.
func (l Listing) Allowed(ctx context.Context) error {
	on, err := l.Settings.AdvancedQueries(ctx, rpc.CallerFrom(ctx).WorkspaceID)
	if err == nil && !on {
		err = fault.Precondition("advanced-queries-disabled", "the workspace has switched advanced queries off")
	}
	return err
}

// PageData asks for a page of a collaboration list.
type PageData struct {
	PageSize  int    `json:"pageSize,omitempty" minimum:"1" maximum:"1000" doc:"default 1000"`
	PageToken string `json:"pageToken,omitempty" maxLength:"4000"`
}

// PageSize is the page size where the caller names none.
const PageSize = 1000

// Pages are those of a list whose tokens are page tokens.
func (l Listing) Pages(workspaceID, list string, filters any) rpc.Pages {
	return rpc.Pages{Codec: l.Cursors, Field: "pageToken", WorkspaceID: workspaceID, List: list, Filters: filters}
}
