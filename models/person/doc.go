// Package person hands out what is kept of people.
//
// Data reads it page by page, each kind by itself: what a person wrote and what tags them, what
// they were notified of, what they did, what they were granted.
//
// Export promises a file with all of it, of one instant: a job (kind export) writes an archive of JSON
// lines with a README (WriteArchive), puts it into the store of files, and notes it (FinishExport). It is
// kept for a day. A file that its row names no more is left to those that nobody claims.
//
// It reads rows of other packages by functions of those on one snapshot. Table: exports.
package person
