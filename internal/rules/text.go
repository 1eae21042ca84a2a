package rules

import (
	"crypto/sha256"
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Markup of a line that is reduced to its text.
var (
	strong = regexp.MustCompile(`(\*\*|__)(\S(?:.*?\S)?)(\*\*|__)`)
	italic = regexp.MustCompile(`(^|[\s(])([*_])(\S(?:[^*_]*\S)?)([*_])($|[\s).,;:!?])`)
	stray  = regexp.MustCompile(`(^|\s)(?:\*\*|__)(\S)|(\S)(?:\*\*|__)(\W|$)`) // of emphasis over several sentences
	link   = regexp.MustCompile(`!?\[([^\]]*)\]\([^)\s]*(?:\s+"[^"]*")?\)`)
	code   = regexp.MustCompile("`([^`]*)`")
	escape = regexp.MustCompile(`\\([#|*_\[\]<>~.()!+\-` + "`" + `])`)
)

// plain returns a text as it is written, on one line and without emphasis.
func plain(text string) string {
	text = oneLine(text)
	if !strings.ContainsAny(text, `*_\`) {
		return text // as most are, without any markup
	}
	text = strong.ReplaceAllString(text, "$2")
	text = stray.ReplaceAllString(text, "$1$2$3$4")
	text = italic.ReplaceAllString(text, "$1$3$5")
	return strings.TrimSpace(escape.ReplaceAllString(text, "$1"))
}

// quotes makes quotation marks, apostrophes and dashes plain.
var quotes = strings.NewReplacer("“", `"`, "”", `"`, "„", `"`, "«", `"`, "»", `"`, "‘", "'", "’", "'", "‚", "'", "‐", "-", "‑", "-",
	"–", "-", "—", "-", "−", "-")

// spaced keeps a dash between clauses apart from a hyphen.
var spaced = strings.NewReplacer("—", " - ", "–", " - ")

// fold is what markers are looked for in.
func fold(text string) string { return strings.ToLower(quotes.Replace(spaced.Replace(text))) }

// Identity is the SHA-256 of a text without what does not change its meaning:
// form NFKC, links and markup reduced to their text, quotes and dashes plain,
// white space collapsed, case folded, closing punctuation dropped.
func Identity(text string) [sha256.Size]byte {
	text = code.ReplaceAllString(link.ReplaceAllString(plain(norm.NFKC.String(text)), "$1"), "$1")
	text = cases.Fold().String(oneLine(quotes.Replace(text)))
	text = strings.TrimRightFunc(text, func(r rune) bool { return unicode.IsPunct(r) || unicode.IsSpace(r) })
	return sha256.Sum256([]byte(text))
}
