package models

// BacklogStatements are the statements of ReadBacklog with their arguments, by what
// they count.
func BacklogStatements() map[string]Statement {
	found := map[string]Statement{}
	for name, count := range backlogCounts() {
		found[name] = Statement{count.query, count.args}
	}
	return found
}

// Statement is the text of a statement and its arguments.
type Statement struct {
	Text string
	Args []any
}
