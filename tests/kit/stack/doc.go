// Package stack runs the real thing for black-box tests and benchmarks.
//
// Start brings up `redline-dev` as a child on free ports with a data folder of
// its own: Postgres, Temporal, Weaviate and, if wanted, the service
// itself. Attach uses one that somebody else runs. Service starts one more
// process of the service (serve, api or worker) against the same parts, which
// can be killed, stopped and started again on the same port. An Isolated is a
// database and a Temporal namespace of its own on those parts, behind the two
// proxies of package proxy: as good as a whole stack for faults, and cheap. Its
// database is a copy of a template that is migrated once for each program; its
// namespace comes from the pool Namespaces, which all processes on a stack share,
// or is a new one.
//
// All processes run in groups of their own and are ended with Stop or Close;
// on Linux the kernel ends them too when the test's process dies.
//
// The programs are built once for each run of the tests from the tree that the
// tests stand in. The package must not import any package of that tree.
package stack
