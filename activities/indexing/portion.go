package indexing

import (
	"cmp"
	"slices"

	"github.com/redline-svc/redline/models/judgment"
)

// portionBytes is how much text one round embeds, a second of the local model's time:
// who records long contents does not keep others waiting for longer than that.
const portionBytes = 64 << 10

// portion takes of what was claimed as much as one round embeds and leaves the rest to
// later ones: one judgment of each workspace, beginning behind the workspace after, then
// another one of each. The first one is taken whatever its size.
func portion(owed []judgment.Owed, after string) (taken, rest []judgment.Owed) {
	owed = inTurn(owed, after)
	room := portionBytes
	for i, o := range owed {
		if room -= textBytes(o); room < 0 && i > 0 {
			return owed[:i], owed[i:]
		}
	}
	return owed, nil
}

// inTurn orders judgments as workspaces have their turns, and those of a workspace as
// they came.
func inTurn(owed []judgment.Owed, after string) []judgment.Owed {
	slices.SortFunc(owed, func(a, b judgment.Owed) int { return cmp.Compare(a.Key, b.Key) })
	turns, nth := make(map[int64]int, len(owed)), map[string]int{}
	for _, o := range owed {
		turns[o.Key] = nth[o.WorkspaceID]
		nth[o.WorkspaceID]++
	}
	slices.SortFunc(owed, func(a, b judgment.Owed) int {
		return cmp.Or(cmp.Compare(turns[a.Key], turns[b.Key]), compareFrom(after, a.WorkspaceID, b.WorkspaceID))
	})
	return owed
}

// compareFrom orders ids from the one behind after on, round to that again.
func compareFrom(after, a, b string) int {
	switch {
	case a <= after && b > after:
		return 1
	case a > after && b <= after:
		return -1
	}
	return cmp.Compare(a, b)
}

// textBytes is how much of a judgment is to be embedded.
func textBytes(o judgment.Owed) int {
	if o.Text == nil || o.Vectors != nil {
		return 0
	}
	return len(reviewText(*o.Text)) + len(contentText(*o.Text))
}

// served is the last workspace that had a turn, where the portion ended before all had
// one; last is the last one that was claimed from.
func served(taken, rest []judgment.Owed, last string) string {
	of := func(id string) func(judgment.Owed) bool {
		return func(o judgment.Owed) bool { return o.WorkspaceID == id }
	}
	if len(rest) == 0 || slices.ContainsFunc(taken, of(rest[0].WorkspaceID)) {
		return last
	}
	return taken[len(taken)-1].WorkspaceID
}
