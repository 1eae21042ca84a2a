package judgment

// goneFor is how long a judgment is gone before it is removed from the index: who
// works on it has ended by then, and its row hides it from everybody at once.
const goneFor = "interval '1 minute'"

// owing is an insert of judgments that owes each of them to the index.
func owing(insert string) string {
	return `WITH made AS (` + insert + ` RETURNING key, workspace_id)
INSERT INTO judgment_index (key, workspace_id) SELECT key, workspace_id FROM made`
}

// owingRemoval is a delete of judgments that owes the removal of each to the index. It
// changes as many rows as there are judgments.
func owingRemoval(remove string) string {
	return `WITH gone AS (` + remove + ` RETURNING key, workspace_id)
INSERT INTO judgment_index (key, workspace_id, due) SELECT key, workspace_id, clock_timestamp() + ` + goneFor + ` FROM gone
ON CONFLICT (key) DO UPDATE SET due = excluded.due, revision = judgment_index.revision + 1`
}
