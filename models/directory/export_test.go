package directory

import "context"

// How many folders one transaction deletes, and how many grants of users; how many folders an answer has, and of how many documents
// access is read at once.
const (
	HiddenAtOnce   = hiddenAtOnce
	GoAtOnce       = goAtOnce
	MostFolders    = mostFolders
	ReadableAtOnce = readableAtOnce
)

// Statement is that of a page of users.
func (f UserFilter) Statement(workspaceID string, after *UserPosition, size int) (string, []any) {
	return f.query(workspaceID, after, size)
}

// Hide is the first transaction of a deletion, of which the process dies.
func (s *Folders) Hide(ctx context.Context, workspaceID, organizationID, folderID string) ([]int64, error) {
	folders, _, err := s.hide(ctx, workspaceID, organizationID, folderID)
	return folders, err
}
