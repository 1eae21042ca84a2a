// Package subject holds which organizations and documents executions, definitions,
// sources and judgments are about. Callers name them by ids of their own, and they
// need not exist: an execution may be about a document that nobody made. Each id has
// a row here, and whatever is about it holds the row's key. So a document gets
// another id, or is gone, by a change of a few rows, whatever is about it.
//
// Tables: subjects and former_members. A row is made by the first that names its id: Keys.Queue and the
// SQL function open_subjects, which others' statements call, find or make it.
// The states of a row, and who changes them:
//
//	(new)            -> current   open_subjects
//	current          -> former    Rename, when another document gets its id
//	current, former  -> removed   RemoveDocuments, RemoveOrganizations
//
// Only the current row of an id is given to what is new. Lists take all rows of an id
// (Filter). A removed document is marked itself; one in a removed organization is
// not, so whoever hides what is removed asks for both (Shown, ShownAmong). Executions, steps and
// definitions of what is removed stay readable with the id that it had; judgments and
// sources are hidden at once, and removed later in batches by their packages, which
// note by Gone which subjects need not be looked at again.
//
// Who leaves an organization has a row of former_members: what they judged in it until then
// is hidden at once (Stayed, StayedAmong), and removed later likewise.
//
// Locks: making a row waits for others that make it, organization first. Nobody who
// only finds a row locks it, so Rename and the removals wait for none but makers.
// Callers who change the directory as well hold its rows before.
//
// It must not know what is about a subject, nor whether there is one in the
// directory.
package subject
