package numbering

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Count is a mark that counts, such as 1. (2) [3] 1.2.1 A. b) aa) (iv) A.1 2.a) A1 1-2 and § 4.
type Count struct {
	// Open and Close are what stands around its steps; a paragraph sign and words such as
	// Article open as well.
	Open, Close string
	Steps       []string
	// Between stands between steps: a full stop, a hyphen, or nothing.
	Between string
	// Glued says that text stands right behind the mark.
	Glued bool
	// Text is the mark without the white space behind it.
	Text string
}

// named are words that clauses are counted with.
const named = `Article|Art\.?|Section|Sect?\.|Clause|Cl\.|Paragraph|Para\.|Rule|Step|Point|Item|No\.|Artikel|Absatz|Abs\.|Ziffer|Ziff\.|Punkt|Nr\.`

const (
	single = `(?:[0-9]{1,3}|[A-Za-z]|[ivxl]{2,7}|[IVXL]{2,7}|[a-z]{2}|[A-Z]{2})`
	levels = single + `(?:\.(?:[0-9]{1,3}|[A-Za-z]|[ivx]{2,5}))*`
	hyphen = `(?:[0-9]{1,3}|[A-Z])(?:[-‐‑–][0-9]{1,3}){1,3}`
	joined = `[A-Z][0-9]{1,3}(?:\.[0-9]{1,3})*|[0-9]{1,3}[A-Za-z]`
	closes = `(?:([）．、])|(\.?[)\]]|[.:])?(?:[\s\p{Zs}]|$|(\p{Lu}\p{Ll})))`
)

var (
	opens    = `(\(|（|\[|§[\s\p{Zs}]?|(?:` + named + `|` + strings.ToUpper(named) + `)[\s\p{Zs}])?`
	counting = regexp.MustCompile(`^` + opens + `(` + levels + `|` + hyphen + `|` + joined + `)` + closes)
	steps    = regexp.MustCompile(`[0-9]+|[A-Za-z]+`)
)

// CountOf reads the mark that counts at the beginning of a text. One of several levels has a number
// among them, since e.g. is none.
func CountOf(text string) (Count, bool) {
	if !mayCount(text) {
		return Count{}, false // as most lines
	}
	found := counting.FindStringSubmatch(text)
	if found == nil {
		return Count{}, false
	}
	c := Count{Open: strings.TrimSpace(found[1]), Steps: steps.FindAllString(found[2], -1), Close: found[3] + found[4], Glued: found[5] != ""}
	c.Text = found[1] + found[2] + c.Close
	if behind := found[2][len(c.Steps[0]):]; behind != "" {
		c.Between = behind[:steps.FindStringIndex(behind)[0]]
	}
	return c, c.closes() && c.counts() && (!c.Glued || c.apart())
}

const (
	// longestLetters is more letters than a mark begins with.
	longestLetters = 8
	// longestNamed is how far into a mark that begins with a word its number stands.
	longestNamed = 16
)

// mayCount reports whether a text may begin with a mark, which is found out faster than whether
// it does.
func mayCount(text string) bool {
	letters := strings.IndexFunc(text, func(r rune) bool { return r > 'z' || !unicode.IsLetter(r) })
	if letters < 0 {
		return false
	}
	next, _ := utf8.DecodeRuneInString(text[letters:])
	switch {
	case letters == 0:
		return unicode.IsDigit(next) || strings.ContainsRune("([（§", next)
	case letters < longestLetters && strings.ContainsRune("0123456789.)-‐‑–）．、", next):
		return true
	default:
		return letters < longestNamed && unicode.IsUpper(rune(text[0])) && strings.ContainsAny(text[:min(len(text), longestNamed)], "0123456789")
	}
}

// closes reports whether what opens is closed, and nothing else.
func (c Count) closes() bool {
	switch {
	case c.Open == "(" || c.Open == "（":
		return strings.HasSuffix(c.Close, ")") || c.Close == "）"
	case c.Open == "[":
		return c.Close == "]" && IsNumber(c.Steps[0])
	case c.Open != "":
		return IsNumber(c.Steps[0]) && !strings.HasSuffix(c.Close, "]")
	default:
		return !strings.HasSuffix(c.Close, "]") && c.Close != ":" && (c.Close != "" || len(c.Steps) > 1 || IsNumber(c.Steps[0]))
	}
}

func (c Count) counts() bool {
	if len(c.Steps) == 1 {
		return Places(c.Steps[0]) != nil
	}
	return slices.ContainsFunc(c.Steps, IsNumber)
}

// apart reports whether a mark with text right behind it is told from that: 1.Lock, a)Lock.
func (c Count) apart() bool {
	if strings.HasSuffix(c.Close, ")") {
		return true
	}
	letters := slices.ContainsFunc(c.Steps, func(s string) bool { return !IsNumber(s) })
	return c.Open == "" && !letters && (c.Close != "" || c.Between == ".")
}

// Bare reports whether the mark is a number and nothing else.
func (c Count) Bare() bool { return c.Open == "" && c.Close == "" && len(c.Steps) == 1 }

// Rare reports whether the mark is one beside others of its kind alone: it may as well refer to
// something, or be a word.
func (c Count) Rare() bool {
	switch {
	case c.Glued, c.Bare(), c.Open != "" && c.Open != "(" && c.Open != "（":
		return true
	case strings.HasSuffix(c.Close, ")"), c.Close == "）":
		return false
	case len(c.Steps) > 1:
		return c.Between != "."
	default:
		return doubled(c.Steps[0]) && romans[strings.ToLower(c.Steps[0])] == 0
	}
}
