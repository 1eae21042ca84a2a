// Package embedtest gives tests the sentence model, loaded once for a process.
//
// It must not be imported by anything but tests.
package embedtest
