package collaboration

import (
	"context"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/internal/cursor"
	"github.com/redline-svc/redline/internal/fault"
)

// settingsReader knows what a workspace allows.
type settingsReader interface {
	AdvancedQueries(ctx context.Context, workspaceID string) (bool, error)
}

// listing is what operations need that read lists.
type listing struct {
	Settings settingsReader
	Cursors  *cursor.Codec
}

// allowed refuses a read that the workspace has switched off.
func (l listing) allowed(ctx context.Context) error {
	on, err := l.Settings.AdvancedQueries(ctx, rpc.CallerFrom(ctx).WorkspaceID)
	if err == nil && !on {
		err = fault.FailedPrecondition("advanced-queries-disabled", "the workspace has switched advanced queries off")
	}
	return err
}

// PageData asks for a page of a collaboration list.
type PageData struct {
	PageSize  int    `json:"pageSize,omitempty" minimum:"1" maximum:"1000" example:"50" doc:"default 1000"`
	PageToken string `json:"pageToken,omitempty" maxLength:"4000" example:"8mNq2v5yBxE0hKjRlTnZpQ"`
}

// pageSize is the page size where the caller names none.
const pageSize = 1000

// pages are those of a list whose tokens are page tokens.
func (l listing) pages(workspaceID, list string, filters any) rpc.Pages {
	return rpc.Pages{Codec: l.Cursors, Field: "pageToken", WorkspaceID: workspaceID, List: list, Filters: filters}
}

// advancedPages are pages of a list that a workspace may switch off.
func (l listing) advancedPages(ctx context.Context, workspaceID, list string, filters any) rpc.Pages {
	pages := l.pages(workspaceID, list, filters)
	pages.Allowed = func() error { return l.allowed(ctx) }
	return pages
}
