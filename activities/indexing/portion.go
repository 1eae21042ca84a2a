package indexing

import "github.com/redline-svc/redline/models/judgment"

// portionBytes is how much text is embedded at once, a second of the local model's time:
// who records long contents does not keep others waiting for longer than that.
const portionBytes = 64 << 10

// portion is how many of the judgments that were claimed are brought in at once; the rest is left to
// later. They are in the order of the turns of their workspaces. The first one is taken whatever
// its size.
func portion(pending map[int]judgment.Pending, claimed int) int {
	room := portionBytes
	for i := range claimed {
		if room -= textBytes(pending[i]); room < 0 && i > 0 {
			return i
		}
	}
	return claimed
}

// textBytes is how much of a judgment is to be embedded.
func textBytes(p judgment.Pending) int {
	if p.Key == 0 || p.Vectors != nil {
		return 0
	}
	return len(reviewText(p.Text)) + len(contentText(p.Text))
}
