package judgment

// goneFor is how long a judgment is gone before it is removed from the index: who
// works on it has ended by then, and its row hides it from everybody at once.
const goneFor = "interval '1 minute'"

// What is owed to the index for judgments that a statement named changed has made,
// removed or changed. The latter two count the revision up, so that work on the
// judgment as it was is noticed, and leave a claim to who has it: two who work on revisions of
// one judgment would end in any order. Rows are taken in the order of their keys, as by all who
// take several, so that none waits for another in a circle.
const (
	oweNew     = `INSERT INTO judgment_index (key, workspace_id) SELECT key, workspace_id FROM changed ORDER BY key`
	oweRemoval = `INSERT INTO judgment_index (key, workspace_id, due, owed_at)
SELECT key, workspace_id, at, at FROM changed CROSS JOIN LATERAL (SELECT clock_timestamp() + ` + goneFor + ` AS at) later ORDER BY key` + again
	oweChange = oweNew + again
	again     = `
ON CONFLICT (key) DO UPDATE SET due = greatest(judgment_index.due, excluded.due), owed_at = excluded.owed_at, revision = judgment_index.revision + 1`
)

// inOrder is the condition of a delete that takes the judgments of which another condition
// holds, in the order of their keys.
func inOrder(of string) string {
	return `key = ANY (ARRAY(SELECT key FROM judgments WHERE ` + of + ` ORDER BY key FOR UPDATE))`
}

// owing is an insert of judgments that owes each of them to the index.
func owing(insert string) string { return owed(insert, oweNew) }

// owingRemoval is a delete of judgments that owes the removal of each to the index. It returns
// the record ids. Patterns rested on them, which do not wait for the index: it may be away
// for long. Whoever removes some queues them (pattern.Removed).
func owingRemoval(remove string) string { return owingRemovalOf(remove, "record_id") }

// owingRemovalOf is owingRemoval that returns another column.
func owingRemovalOf(remove, column string) string {
	return `WITH changed AS (` + remove + ` RETURNING key, workspace_id, ` + column + `), owed AS (` + oweRemoval + `)
SELECT ` + column + ` FROM changed`
}

// owingChange is an update of judgments that owes each of them to the index again.
func owingChange(update string) string { return owed(update, oweChange) }

func owed(statement, owe string) string {
	return `WITH changed AS (` + statement + ` RETURNING key, workspace_id)
` + owe
}

// naming is owing that gives the record ids.
func naming(insert string) string {
	return `WITH changed AS (` + insert + ` RETURNING key, workspace_id, record_id), owed AS (` + oweNew + `)
SELECT record_id FROM changed`
}
