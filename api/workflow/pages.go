package workflow

import (
	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/internal/cursor"
)

// Page sizes where the caller names none.
const (
	pageSize      = 50
	eventPageSize = 100
)

// pagesOf are the pages of a list whose tokens are cursors.
func pagesOf(cursors *cursor.Codec, workspaceID, list string, filters any) rpc.Pages {
	return rpc.Pages{Codec: cursors, Field: "cursor", WorkspaceID: workspaceID, List: list, Filters: filters}
}
