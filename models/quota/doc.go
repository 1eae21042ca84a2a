// Package quota counts what workspaces keep, in bytes, and refuses what adds to it once
// a quota is used up.
//
// Triggers of the tables (models/schema/quota.sql) note what each statement adds and removes,
// whoever runs it: a caller, a worker, a reference that cascades. That is a row of
// storage_changes for a statement and table. Every two seconds a process moves these
// rows to storage_use, notes there who has used up a quota, and keeps in memory which
// workspaces these are (Run). So a write costs one small insert for a table, and nobody waits
// for a row that all writers of a workspace would change.
//
// What is refused is decided at the commit. Calls whose route does not go on past a quota run
// under Hold; at the end of a transaction of such a call, of a workspace that is noted, Check
// asks Postgres how much the workspace keeps now and how much of that this transaction has
// added. One that adds nothing, such as a call that is repeated under a known key, is committed;
// any other is undone, after every check that comes before quotas. What a deletion frees
// counts as soon as that is committed, and a call may exceed a quota by no more than its own size.
//
// The bytes are those of the columns as they were sent (of a file: of the file that was brought in,
// not of the text that is made of it, and of what was exported until it goes). A nightly count compares them with what one
// snapshot shows and adds the difference to storage_changes, so it mends whatever was lost and
// hinders nobody who writes meanwhile (Count).
//
// Bodies of messages are counted by the day (UTC). Nothing refuses them: whoever publishes
// reads is_full and keeps a message with ids only.
//
// Tables: storage_use, storage_changes, storage_counts.
package quota
