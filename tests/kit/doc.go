// Package kit is what the black-box tests are written with: they prove the published
// interface from the outside, over HTTP, and listen at the receivers that the service
// calls. Nothing of the service is imported here or in any package of the tests.
//
// A package of tests hands its TestMain to Main:
//
//	func TestMain(m *testing.M) { kit.Main(m) }
//
//	func TestDispatch_1_HundredCallsWithOneKey(t *testing.T) {
//		env := kit.NewWorkspace(t)
//		...
//	}
//
// One stack serves all packages of a run: the real Postgres, Temporal and Weaviate with
// the program beside them. make starts it and names its folder in REDLINE_TEST_STACK;
// a package that is run alone starts its own. Every test makes a workspace
// (NewWorkspace) and runs beside all others, so it must not depend on what else is in
// the stack. A test that kills, stops or cuts something has an isolated stack
// (NewIsolatedStack): a database and a Temporal namespace of its own on the same
// servers, behind proxies, with processes of its own.
//
// A test waits for conditions (RequireEventually), never for an amount of time, and
// shows that something did not happen by something later that did happen on the same
// way. One in which something dies ends with AtRest: rows and receivers may be as they
// should while Temporal works on for nobody.
//
// The files are named by the area whose tests share them. All requests go through
// package client, with the names of operations (client/operations.go); package receiver
// has the https receivers and the mail catcher, package proxy what holds or cuts
// connections, package stack starts and stops servers and processes, package contract
// holds every call against the published document.
//
//	REDLINE_TEST_STACK   folder of a running redline-dev to be used instead of a new stack
//	REDLINE_TEST_BINARY  program to be used instead of building one
//	REDLINE_TEST_RACE=1  build with the race detector
//	REDLINE_TEST_KEEP=1  leave data and logs behind
//	REDLINE_SOAK         number of random kills in a soak, 25 if unset
package kit
