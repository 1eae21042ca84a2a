// Package migrations owns the schema: SQL files, Up and Down, which goose runs in
// the order of their numbers (Migrate). SchemaVersion is the newest one in this
// program; a process whose database is behind is not ready.
//
// A session lock lets several processes ask for the migration at once: one does
// it, the others wait. A file that was released is never edited. No file holds a
// lock that keeps writers from a table while it reads or rewrites it: indexes are
// built concurrently and rules validated in files without a transaction, and what
// can be decided when a table is made stands where it is made.
//
// Functions of the schema that statements share, such as cut_off and
// destination_due of deliveries, stand here too, since their plans are kept. It
// must not import a package that holds rows.
package migrations
