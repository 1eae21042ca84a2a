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

// CursorPage is a page of a list.
type CursorPage[T any] struct {
	Items      []T     `json:"items"`
	NextCursor *string `json:"nextCursor" doc:"null on the last page"`
	HasMore    bool    `json:"hasMore"`
}

// pageOf is the page of what rpc.List returned.
func pageOf[T any](items []T, next *string, err error) (*CursorPage[T], error) {
	return &CursorPage[T]{Items: items, NextCursor: next, HasMore: next != nil}, err
}

// pagesOf are the pages of a list whose tokens are cursors.
func pagesOf(cursors *cursor.Codec, workspaceID, list string, filters any) rpc.Pages {
	return rpc.Pages{Codec: cursors, Field: "cursor", WorkspaceID: workspaceID, List: list, Filters: filters}
}
