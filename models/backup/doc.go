// Package backup is what a backup and a restore ask of the database beside Postgres' own
// tools: Begin holds the files that rows name and takes the snapshot that is dumped, Vacant
// looks at a database before rows are put back into it.
//
// Files are removed by workers under a lock that they share (RemovingFiles). A backup takes
// it for itself before its snapshot: who removed files before has committed what the snapshot
// shows then, and nobody removes one until it is copied.
//
// It owns no table and changes no row. SQL is by hand: it asks the catalog. It must not know
// where a backup is kept.
package backup
