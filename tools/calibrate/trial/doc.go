// Package trial measures how suggestions, patterns, answers and searches fare with an embedding model
// on the labelled sets, by the product's own code: Decide of internal/suggest, the Detector
// of internal/pattern and Compose of internal/answer. Files are cut by
// internal/chunk and lists fused by internal/fuse; words are ranked as the index ranks them. What the index would find is found by
// an exact search in memory, as many as the product asks for.
//
// New embeds the sets. Measure then gives the figures of one half for any thresholds, without
// another call of the model but for sentences of answers. Report puts both halves beside
// their bars; Grid varies one threshold at a time, on the tuning half only.
//
// Labels and the rule of halves are in package labelled. Nothing here may look at the proof
// half to choose a threshold, nor know rows, requests or the index.
package trial
