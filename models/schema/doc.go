// Package schema owns the tables. The baseline is one file an owner of tables, in the
// order of `baseline` in migrate.go. An index stands under its table, with what needs it
// beside it: the operation whose list it has in order, a claim of a queue, "age" for
// what goes by its age (pg.Aged), "values of a key" for how many values a key has sealed
// or hashed (workspace.Rewrap). Every index costs every write: two queries share one
// where the planner can.
//
// Migrate lets goose run them as one version, in one transaction, and after it the files
// whose names begin with a number, each a version.
// SchemaVersion is the newest one in this program; a process whose database is behind
// is not ready and does nothing (SchemaReady). A session lock lets several processes migrate at once:
// one does it, the others wait.
//
// What was released is never edited: make freeze writes down the baseline's version and the
// sum of each file (Sums) at each release, and a test compares them. A change is a file with
// the next number and goose's section upwards; a program works on the schema of itself and
// of the next one. A file that takes away what programs of older schemas use replaces
// oldest_schema_served, and such programs end and say why. No such file may keep writers from a
// table while it reads or rewrites it: indexes are built concurrently in a file without a transaction,
// rules are added NOT VALID and validated in another, back-fills go in batches.
//
// Functions that statements share, such as is_cancelled and destination_due of deliveries,
// stand here too, since their plans are kept. It must not import a package that holds
// rows.
package schema
