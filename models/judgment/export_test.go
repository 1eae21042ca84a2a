package judgment

import (
	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/models/subject"
)

// CountQuery is the statement that counts what matches a filter.
func CountQuery(workspaceID string, f Filter, about subject.Narrow) (string, []any) {
	b, counting := &pgx.Batch{}, &counted{}
	counting.queue(b, f.conditions(workspaceID, about))
	return b.QueuedQueries[0].SQL, b.QueuedQueries[0].Arguments
}

// ReadSurroundings is the statement that a search runs first.
const ReadSurroundings = readSurroundings
