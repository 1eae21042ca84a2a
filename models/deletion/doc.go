// Package deletion deletes workspaces. Accept closes one for good in one transaction: its credentials
// fail, no work of it is begun, its name and its owner's address are free. It leaves a job, which
// begins once no request that was let in before can be under way any more, and removes all that the
// workspace has, a portion at a time. What is left is found by looking, so whoever dies in between
// is followed by another one. The workspace's own row goes last, with the job.
//
//	Portion       What goes
//	Cancel        executions end as cancelled, without events
//	NextSchedules schedules, once Temporal has none of them
//	Remove        rows: what belongs to others before those, of tables whose index begins with the
//	              workspace a thousand at a time; where none does, with what they belong to. Keys of files
//	              move to unclaimed_files in the statement that removes the row which names them
//	NextFiles     files, and their keys
//	Finish        the rows of the workspace, of its owner and of the job
//
// What is in organizations is removed as that of any deleted organization is, the index and Temporal
// are told by the job (activities/job). Rows of the audit stay.
//
// Like the rewrap of keys it writes tables of all other packages: it removes rows of one workspace,
// and nothing else. Which tables these are the catalogue of Postgres says. All of it is SQL by hand.
//
// It must not know Temporal, the index or the files.
package deletion
