// Package models is the root of the packages that hold the rows of the service
// and the transactions over them: a package a thing, migrations for the schema,
// internal/pg below all of them, internal/list for what they list. What is true stands in rows; the engine and the
// vector index only follow.
//
// Here is what belongs to no single one of them: Open makes the pool from which
// every store is made, ReadBacklog counts what waits in all tables, and
// AllSealedColumns lists every sealed column, so that keys can be rotated.
//
// For all packages below: a store is made by its package's New from a DB, its
// methods take the workspace first after the context, and no query is without
// it. A package writes its own tables only; a transaction that spans several
// calls functions of the owners on the same pg.Tx or batch. Rows that owe
// something to the engine are the outbox themselves, nothing is handed over by
// memory alone. Times in rows are those of Postgres, taken after the lock. Rows that
// are read and written one by one are GORM's, by the structs in models/*/rows.go. SQL is
// by hand where a lock order, a plan or the number of round trips matters; a line
// above the statement, or for all of them the package's doc.go, says which.
//
// None of them may know HTTP, the engine or any caller. tables_test.go holds who
// writes and reads which table.
package models
