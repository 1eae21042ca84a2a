package directory

// Statement is that of a page of users.
func (f UserFilter) Statement(workspaceID string, after *UserPosition, size int) (string, []any) {
	return f.query(workspaceID, after, size)
}
