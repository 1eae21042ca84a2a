// Command redline is the whole service in one program.
//
//	redline serve     the interface and the work behind it
//	redline api       the interface alone
//	redline worker    the work alone
//	redline migrate   bring the database to this program's schema
//	redline admin     the operator's tool
//	redline mcp       a server for agents, a client of the interface like any other
//	redline version   what this program is
//
// This package is where everything is put together, and nothing else: it reads
// the configuration, opens what a role uses (compose.go), starts it, and stops
// it in order (process.go). It makes no decision about a request or a row.
package main
