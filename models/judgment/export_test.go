package judgment

import (
	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/models/subject"
	"github.com/redline-svc/redline/models/vector"
)

// CountQuery is the statement that counts what matches a filter.
func CountQuery(workspaceID string, f Filter) (string, []any) {
	b, counting := &pgx.Batch{}, &counted{}
	counting.queue(b, f.conditions(workspaceID, subject.Narrow{}))
	return b.QueuedQueries[0].SQL, b.QueuedQueries[0].Arguments
}

// FirstQuery is the statement that a search runs first.
func FirstQuery(workspaceID string, f Filter, about subject.Narrow) (string, []any) {
	q := Near{Filter: f, Among: []string{vector.Review}}
	return q.readSurroundings(workspaceID, about)
}
