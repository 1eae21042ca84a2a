// Package tests proves the published interface from the outside: it builds the
// program, runs it on the real Postgres, engine and Weaviate, speaks HTTP to it
// and listens at the receivers it calls. It imports nothing of the service.
//
// One stack serves the whole run. Every story makes a workspace of its own and
// runs beside all others, so a story must not depend on what else is in the
// stack. Stories that kill or cut something run in a lab: a database and an
// engine namespace of their own behind proxies (package stack), with processes
// of their own.
//
// Those that only want other settings share a variant (story_variant_test.go): processes with
// a database of theirs, which the first of them starts and the end of the run stops. Settings
// of the interface alone that one of them wants are those of one more process beside the
// shared one (scene.beside).
//
// Files are named by their area, as the folders of the interface are: platform_
// (workspaces, keys, limits, the wire), collaboration_ (annotations, users, mails),
// webhook_, workflow_ (definitions, executions and what survives in them) and
// memory_ (uploads, ingests, search, judgments). What concerns the whole program,
// its start, outages and random kills, is in stack_, and what all stories are
// made with, scenes and labs, in story_.
//
// A story is named after the operation, the number of its hard case if it has
// one, and what happens: TestDispatch_1_HundredCallsWithOneKey. It waits for
// conditions, never for an amount of time, and shows that something did not
// happen by something later that did happen on the same way.
//
// One in which something dies ends with atRest (story_rest_test.go): rows and
// receivers may be as they should while the engine works on for nobody.
//
//	REDLINE_TEST_STACK   folder of a running `redline-dev` to be used instead of a new stack
//	REDLINE_TEST_BINARY  the service's program, with redline-dev beside it, instead of building them
//	REDLINE_TEST_RACE=1  build with the race detector
//	REDLINE_TEST_KEEP=1  leave data and logs behind
//	REDLINE_SOAK         number of random kills, 10 if unset
package tests
