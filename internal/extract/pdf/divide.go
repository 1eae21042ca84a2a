package pdf

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// hyphens divide a word at the end of a line; PDFium gives U+0002 or U+FFFE for
// one that it takes for such.
const hyphens = "-\u2010\u00ad\u0002\ufffe"

// soft are the hyphens that mean nothing but a divided word.
const soft = "\u00ad\u0002\ufffe"

// hyphenated reports whether a text ends in the middle of a word: with a hyphen behind a
// letter or digit.
func hyphenated(text string) bool {
	text = strings.TrimRight(text, " ")
	last, size := utf8.DecodeLastRuneInString(text)
	before, _ := utf8.DecodeLastRuneInString(text[:len(text)-size])
	return strings.ContainsRune(hyphens, last) && (unicode.IsLetter(before) || unicode.IsDigit(before) || unicode.IsMark(before))
}

// unbroken are the scripts that are written without spaces between words.
var unbroken = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer}

// join makes one text of lines. A word divided at the end of a line is joined when the
// next line starts in lower case; otherwise its hyphen stays, as it does at the end of
// the last line. right is how far the lines of the column go.
func join(lines []line, right float64) string {
	var text strings.Builder
	var last line // of the lines so far, the latest
	for _, l := range lines {
		if l.text = strings.TrimSpace(l.text); l.text != "" {
			text.WriteString(link(last, l.text, right))
			last = l
		}
	}
	text.WriteString(link(last, "", right))
	return clean(text.String())
}

// fullRatio is how far from the right a line may end that is full, in sizes of the type.
const fullRatio = 1.5

// link is a line as it stands before the next one: without its hyphen, or with it, or with
// a space. Scripts without spaces have none where a line is full.
func link(before line, next string, right float64) string {
	end, _ := utf8.DecodeLastRuneInString(before.text)
	first, _ := utf8.DecodeRuneInString(next)
	full := before.end >= right-fullRatio*before.size
	switch {
	case before.text == "":
		return ""
	case hyphenated(before.text):
		word := strings.TrimRight(before.text, hyphens+" ")
		return word + hyphenBetween(word, first)
	case next == "", full && unicode.In(end, unbroken...) && unicode.In(first, unbroken...):
		return before.text
	default:
		return before.text + " "
	}
}

// hyphenBetween is what stays of the hyphen behind a word divided before a character. A
// number is no divided word.
func hyphenBetween(word string, next rune) string {
	end, _ := utf8.DecodeLastRuneInString(word)
	if unicode.IsLower(next) && !unicode.IsDigit(end) {
		return ""
	}
	return "-"
}

// edge is how many blocks at the end and at the beginning of a page may be running lines.
const edge = 4

// joinDivided puts the rest of a word that is divided at the end of a page there.
func joinDivided(pages []page, texts [][]string) {
	for i := range texts[:max(len(texts)-1, 0)] {
		if pages[i].raw || pages[i+1].raw {
			continue
		}
		from, to := broken(texts[i]), goesOn(texts, i+1)
		if from < 0 || to < 0 {
			continue
		}
		word, rest, _ := strings.Cut(texts[i+1][to], " ")
		first, _ := utf8.DecodeRuneInString(word)
		begun := strings.TrimSuffix(texts[i][from], "-")
		texts[i][from] = begun + hyphenBetween(begun, first) + word
		if texts[i+1][to] = escape(rest); rest == "" {
			texts[i+1] = slices.Delete(texts[i+1], to, to+1)
		}
	}
}

// broken is the block near the end of a page that ends in the middle of a word, or -1.
func broken(blocks []string) int {
	for i := len(blocks) - 1; i >= max(0, len(blocks)-edge); i-- {
		end, _ := utf8.DecodeLastRuneInString(strings.TrimSuffix(blocks[i], "-"))
		if hyphenated(blocks[i]) && unicode.IsLetter(end) && !strings.HasPrefix(blocks[i], "#") {
			return i
		}
	}
	return -1
}

// goesOn is the block near the beginning of a page that begins in the middle of a sentence,
// or else the first one that is no running line, or -1.
func goesOn(texts [][]string, i int) int {
	blocks := texts[i][:min(edge, len(texts[i]))]
	if at := slices.IndexFunc(blocks, startsLower); at >= 0 {
		return at
	}
	return slices.IndexFunc(blocks, func(b string) bool {
		first, _ := utf8.DecodeRuneInString(b)
		return (unicode.IsLetter(first) || unicode.IsDigit(first)) && markOf(b).none() && !slices.Contains(texts[i-1], b)
	})
}
