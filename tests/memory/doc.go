// Package memory tests uploads, ingests, search, judgments, suggestions, patterns and
// answers over HTTP, and what is left of them when processes or the index die. A test is
// named after the operation, the number of its hard case if it has one, and what happens.
// What it is written with is package kit.
package memory
