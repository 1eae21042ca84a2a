// Package filelock lets one process at a time work on a folder.
//
// A lock is a file with an advisory lock of the operating system on it, so it
// vanishes with the process that holds it, however that ends; the file stays
// and means nothing by itself. Not for network file systems.
package filelock
