// Package person hands out what is kept of people, and forgets them.
//
// Data reads it page by page, each kind by itself: what a person wrote and what tags them, what
// they were notified of, what they did, what they were granted.
//
// Export promises a file with all of it, of one instant: a job (kind export) writes an archive of JSON
// lines with a README (WriteArchive), puts it into the store of files, and notes it (FinishExport). It is
// kept for a day, and counts as a file of the workspace as long; one that is open counts as 1 MiB, and one that is larger than what the
// workspace may keep besides fails. A file that its row names no more is left to those that nobody claims.
//
// Erase ends the access of people and hides what they judged in the transaction that accepts it, and promises
// the rest: a job (kind erasure) of tasks, one about each table. A portion (EraseSome) is one transaction that
// looks at up to 1,000 rows, fewer for many marks, behind the position of the one before it and keeps its own, so whoever dies is followed
// by somebody who goes on there, and tasks_left never grows. What people write while it runs may go too.
//
//	Task            What becomes of the rows
//	tasks.go        rows of their own go; of annotations and their comments what models/annotation says (Erasure)
//	places.go       rows that name them stay, with the pseudonym of the erasure (internal/erase)
//	runs.go         Temporal forgets the runs of executions that they were asked in; open ones begin anew from the rows
//	elsewhere       columns of which other statements take care
//	impersonal      columns that hold no person
//
// Each column of the schema that can hold a text is on one of these lists, which a test compares with the catalogue:
// a new column needs a line. By what people are known is kept in erased_marks until the last task.
//
// In JSON that callers made up a whole string that is an id is the person with that id, under whatever name: so somebody called
// "1" takes a page "1" along. Nobody can tell the two apart, a field that is not known to hold people may hold one all the same, and
// what stays of somebody who was promised to be forgotten is the graver fault. Numbers, names of fields and strings in which the id
// only occurs stay.
//
// Like the deletion of a workspace it writes tables of other packages: it takes people out of rows, and nothing else. Data
// and exports read rows of others by functions of those on one snapshot. Tables: exports, erasures, erased_marks.
package person
