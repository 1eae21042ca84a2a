package pdf

import (
	"slices"
	"strings"
	"unicode"
)

// unfold mends the letters of Arabic ligatures. A text that runs from right to left is
// turned around character by character, and with it the letters that one glyph stands
// for: what reads lam, alef then says alef, lam. Such letters stand at one point. Where
// the file says the ligature itself, PDFium gives its letters in their order.
func unfold(row []letter) {
	for from := 0; from < len(row); {
		to := from + 1
		for arabicLetter(row[from].char) && to < len(row) && arabicLetter(row[to].char) && row[to].x == row[from].x {
			to++
		}
		if !lamAlef(row[from:to]) {
			slices.Reverse(row[from:to])
		}
		from = to
	}
}

// lamAlef reports whether letters are a lam and an alef, in this order: no ligature has
// them in the other one.
func lamAlef(row []letter) bool {
	return len(row) == 2 && row[0].char == 'ل' && strings.ContainsRune("اأإآ", row[1].char)
}

func arabicLetter(r rune) bool { return unicode.Is(unicode.Arabic, r) && unicode.IsLetter(r) }
