package judgment

import "slices"

// Merge gives the nearest judgments of several searches, up to limit. One that was found
// more than once counts with the best similarity.
func Merge(limit int, found ...[]Hit) []Hit {
	all := slices.Concat(found...)
	slices.SortFunc(all, nearestFirst)
	seen := make(map[string]bool, len(all))
	all = slices.DeleteFunc(all, func(h Hit) bool {
		again := seen[h.RecordID]
		seen[h.RecordID] = true
		return again
	})
	return all[:min(len(all), limit)]
}
