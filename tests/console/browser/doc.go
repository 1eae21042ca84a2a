// Package browser proves what of the console only a browser shows: stories by clicking and typing,
// live pages, keys, and that every page is without faults for axe-core, without messages in the
// console of the browser and without requests to anybody else, in light and dark and at 360 px.
//
// A hand (hand_test.go) finds what a reader sees by its words and clicks there; what is typed goes
// into the field with the label.
//
// make test-console brings the browser and names axe-core's program in REDLINE_TEST_AXE. Without
// either the tests fail. make screenshots runs the test that makes the pictures in docs/pictures.
package browser
