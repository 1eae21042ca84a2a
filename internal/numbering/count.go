package numbering

import (
	"regexp"
	"slices"
	"strings"
)

// Count is a mark that counts, such as 1. (2) [3] 1.2.1 A. b) (iv) A.1 2.a) and § 4.
type Count struct {
	// Open and Close are what stands around its steps; a paragraph sign opens as well.
	Open, Close string
	Steps       []string
	// Text is the mark without the white space behind it.
	Text string
}

// paragraph is the sign of paragraphs of laws and contracts.
const paragraph = "§"

var counting = regexp.MustCompile(`^(\(|\[|§[\s\p{Zs}]?)?((?:[0-9]{1,3}|[A-Za-z]|[ivxl]{2,7}|[IVXL]{2,7})(?:\.(?:[0-9]{1,3}|[A-Za-z]|[ivx]{2,5}))*)(\.?[)\]]|\.)?(?:[\s\p{Zs}]|$)`)

// longestCount is how far into a mark that counts the first sign around its steps stands.
const longestCount = 9

// CountOf reads the mark that counts at the beginning of a text. One of several levels has a number
// among them, since e.g. is none.
func CountOf(text string) (Count, bool) {
	if !strings.ContainsAny(text[:min(len(text), longestCount)], ".)]§") {
		return Count{}, false // as most lines
	}
	found := counting.FindStringSubmatch(text)
	if found == nil {
		return Count{}, false
	}
	c := Count{Open: strings.TrimSpace(found[1]), Steps: strings.Split(found[2], "."), Close: found[3], Text: found[1] + found[2] + found[3]}
	return c, c.closes() && c.counts()
}

// closes reports whether what opens is closed, and nothing else.
func (c Count) closes() bool {
	switch c.Open {
	case "(":
		return strings.HasSuffix(c.Close, ")")
	case "[":
		return c.Close == "]" && IsNumber(c.Steps[0])
	case paragraph:
		return IsNumber(c.Steps[0]) && !strings.HasSuffix(c.Close, "]")
	default:
		return !strings.HasSuffix(c.Close, "]") && (c.Close != "" || len(c.Steps) > 1)
	}
}

func (c Count) counts() bool {
	if len(c.Steps) == 1 {
		return Places(c.Steps[0]) != nil
	}
	return slices.ContainsFunc(c.Steps, IsNumber)
}

// Rare reports whether the mark is one beside others of its kind alone: it may as well refer to
// something.
func (c Count) Rare() bool { return c.Open == "[" || c.Open == paragraph }
