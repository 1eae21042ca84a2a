// Package examples has the Go code of the guide (docs/guide): a file for each page, whose parts
// between [name] and [end] are shown there.
//
// Each function plays its page against a real service, which the environment names, and returns
// the answer that examples/answers.json has. It panics where something fails: see must.
package examples
