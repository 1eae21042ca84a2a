// Package pgtest gives store tests a real Postgres: one server for all test
// binaries of a run, and a database with the whole schema and no rows for each test.
//
//	func TestMain(m *testing.M) { pgtest.Main(m) }
//
//	func TestX(t *testing.T) { t.Parallel(); db := pgtest.New(t) }
//
// Tests that keep apart by workspaces of their own may have one database in common (Shared).
//
// A run is what one process starts: all packages of a `go test ./...`. Two runs
// side by side have a server each. The databases are copies of a template that
// is migrated once in a run. When a test ends, its rows are removed and the next
// test of the package has the copy; one whose schema, statistics or size are no
// longer those of a new copy is dropped. So a test costs some ten milliseconds, and
// tests may run side by side.
//
// How the server is shared: a test binary that finds none starts a copy of
// itself as the keeper of the run, in a session of its own, so that neither
// Ctrl-C nor a time limit of the tests reaches it. The keeper starts Postgres and
// writes its address into the run's folder. Every test binary keeps one
// connection open for as long as it lives, however it ends, and these
// connections are what the keeper counts. When there are none and the process
// that began the run has gone too, or started no further binary for a minute, it
// stops the server and removes the folder. A keeper that is killed takes its
// server with it; the next keeper of any run removes the files.
//
// One lock of the user is held while a server is started or stopped and while a
// test binary connects, so a server is never stopped under somebody who has just
// found it. A test that stops or kills Postgres must not use this package: it
// starts a server of its own by cmd/redline-dev/pglocal. It is for tests alone.
package pgtest
