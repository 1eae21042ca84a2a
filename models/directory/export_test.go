package view

// Statement is that of a page.
func (f Filter) Statement(workspaceID string, after *Position, size int) (string, []any) {
	return f.query(workspaceID, after, size)
}
