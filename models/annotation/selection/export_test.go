package selection

// Query is the statement that finds the annotations.
func (s Selection) Query(workspaceID string, document int64) (text string, args []any) {
	return s.query(workspaceID, document, toDelete)
}

// Rows are annotations by what their threads take.
func Rows(n int, takes func(i int) (comments, text int64)) []row {
	all := make([]row, n)
	for i := range all {
		all[i].comments, all[i].text = takes(i)
	}
	return all
}

// Within is how many of the annotations one call takes.
var Within = within
