// Package pgtest gives store tests a real Postgres: one server for a test
// binary, one fresh database with the whole schema for each test.
//
//	func TestMain(m *testing.M) { pgtest.Main(m) }
//
//	func TestX(t *testing.T) { t.Parallel(); db := pgtest.New(t) }
//
// The databases are copies of one that was migrated once, so a test costs some
// ten milliseconds and tests may run side by side. It is for tests alone.
package pgtest
