// Command calibrate measures on labelled reviews how suggestions, patterns, answers and
// searches fare with an embedding model and its thresholds.
//
//	go run ./tools/calibrate [--json] [--grid]
//
// The model is configured as that of the service is (REDLINE_EMBEDDER, REDLINE_EMBED_*). It
// needs no database and no index. The first run embeds about 2,500 texts; their vectors are
// kept in the cache folder of the user, so that a second one takes seconds.
//
// Package labelled has the sets, trial measures with them, kept remembers the vectors. Of
// suggestions and patterns there are several sets: in turn the thresholds are found on all
// sets but one, and that one is measured, so that the worst turn says what to expect of
// content that nobody has seen. The sets of answers and searches are in two halves:
// thresholds are chosen on the tuning half, and the figures of the proof half count. It must not know rows, the index or who asks the service.
package main
