package view

import "github.com/redline-svc/redline/models/internal/list"

// ByIndex is how the statements of a search are planned.
const ByIndex = byIndex

// Statement is the statement that finds a page in documents.
func (s *Search) Statement(workspaceID string, documents []int64, after *Change, size int) (text string, args []any) {
	var position *Position
	if after != nil {
		position = &Position{At: *after}
	}
	found := s.walk(workspaceID, documents, size+1, list.NewPager(s.IDs, position, size))
	return found.text, found.args
}

// Queueing is the store where a count of more than so many annotations, or a search in more than so many documents, is one of many.
func (v *Views) Queueing(many int64) *Views { return &Views{v.db, many} }
