// Package weaviatetest runs a Weaviate for tests: one for a test binary, with
// the program that the local stack uses.
//
// It must not be imported by anything but tests.
package weaviatetest
