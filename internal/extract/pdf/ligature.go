package pdf

import "unicode"

// unfold mends the letters of Arabic ligatures. A text that runs from right to left is
// turned around character by character, and with it the letters that one glyph stands
// for: what reads lam, alef then says alef, lam. Such letters stand at one point.
func unfold(row []letter) {
	for from := 0; from < len(row); {
		to := from + 1
		for arabicLetter(row[from].char) && to < len(row) && arabicLetter(row[to].char) && row[to].x == row[from].x {
			to++
		}
		for i, j := from, to-1; i < j; i, j = i+1, j-1 {
			row[i], row[j] = row[j], row[i]
		}
		from = to
	}
}

func arabicLetter(r rune) bool { return unicode.Is(unicode.Arabic, r) && unicode.IsLetter(r) }
