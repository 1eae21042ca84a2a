// Package modelstest has the fixtures of store tests: a Bench with a workspace, a
// definition and executions on it, a Desk with an organization and people who
// comment, a Library with sources of knowledge, the two Tenants that every list
// is tried with, and the clock of Postgres for tests of times.
//
// Fixtures write rows of any package, as only tests may. A test that needs the
// real way to a row calls the package that owns it. Each test has a database of
// its own by package pgtest.
//
// It must not be imported by anything but tests.
package modelstest
