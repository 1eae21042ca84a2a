package pdf

import (
	"unicode"

	"github.com/klippa-app/go-pdfium/requests"
)

// unfold mends the letters of Arabic ligatures. A text that runs from right to left is
// turned around character by character, and with it the letters that one glyph stands
// for: what reads lam, alef then says alef, lam. Such letters stand at one point. The
// line begins at the text's character at, its first visible one is PDFium's character
// begin.
func (r reader) unfold(runes []rune, first, begin int) ([]rune, error) {
	if !joined(runes) {
		return runes, nil
	}
	turned := append([]rune(nil), runes...)
	for from := first; from < len(runes); {
		to, err := r.glyph(runes, from, begin-first)
		if err != nil {
			return nil, err
		}
		for i, j := from, to-1; i < j; i, j = i+1, j-1 {
			turned[i], turned[j] = turned[j], turned[i]
		}
		from = to
	}
	return turned, nil
}

// joined reports whether two letters of a script that has ligatures follow each other.
func joined(runes []rune) bool {
	for i := 1; i < len(runes); i++ {
		if unicode.Is(unicode.Arabic, runes[i-1]) && unicode.Is(unicode.Arabic, runes[i]) {
			return true
		}
	}
	return false
}

// glyph returns where the letters end that stand at the point of the one at from.
func (r reader) glyph(runes []rune, from, offset int) (to int, err error) {
	to = from + 1
	if !arabicLetter(runes[from]) {
		return to, nil
	}
	x, y, err := r.origin(from + offset)
	for ; err == nil && to < len(runes) && arabicLetter(runes[to]); to++ {
		nextX, nextY, failed := r.origin(to + offset)
		if failed != nil || nextX != x || nextY != y {
			return to, failed
		}
	}
	return to, err
}

func arabicLetter(r rune) bool { return unicode.Is(unicode.Arabic, r) && unicode.IsLetter(r) }

// origin is where a character stands.
func (r reader) origin(index int) (x, y float64, err error) {
	origin, err := r.instance.FPDFText_GetCharOrigin(&requests.FPDFText_GetCharOrigin{TextPage: r.page, Index: index})
	if err != nil {
		return 0, 0, err
	}
	return origin.X, origin.Y, nil
}
