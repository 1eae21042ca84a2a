// Package ci tests the scripts of .ci, each by itself: in a folder with a blank in its name that
// has them and nothing else of the project, with programs in the place of go and gotestsum that
// print what a test wants.
//
// What the scripts promise is that a suite is green only if all its tests ran and passed, by the
// third time at most, and that a flaky one is named at the end. The package must not start a
// suite: whoever runs it is one.
package ci
