package numbering

import (
	"strings"
	"unicode"
)

const (
	// bullets are nothing else when white space follows.
	bullets = "•◦‣∙⁃⦁⦿⦾⋄⁌⁍‧・◘"
	// glued need no white space behind them.
	glued = "•▪●■"
	// signs are bullets when white space follows, or signs of the text.
	signs = "·–—―-‐−*+∗⋆⋅∘»›"
	// Boxes are those of lists of things to do; the first one is empty, the others are ticked.
	Boxes = "☐☑☒"
)

// symbols are ranges of characters that are bullets when white space follows: arrows, numbers in
// circles, geometric shapes, dingbats, pictures.
var symbols = &unicode.RangeTable{
	R16: []unicode.Range16{{0x2190, 0x21ff, 1}, {0x2460, 0x24ff, 1}, {0x25a0, 0x27bf, 1}, {0x2900, 0x297f, 1}, {0x2b00, 0x2bff, 1}},
	R32: []unicode.Range32{{0x1f300, 0x1faff, 1}},
}

// Circled are numbers and letters in circles, which are bullets and count.
var Circled = &unicode.RangeTable{R16: []unicode.Range16{{Lo: 0x2460, Hi: 0x24ff, Stride: 1}, {Lo: 0x2776, Hi: 0x2793, Stride: 1}}}

// Bullet reports whether a character is a bullet with another one behind it, a space at the end of
// a text; sign says that it may be a sign of the text as well. What stands alone in the private
// use area is a bullet: the fonts of symbols that word processors use have theirs there.
func Bullet(first, next rune) (bullet, sign bool) {
	private, apart := unicode.Is(unicode.Co, first), unicode.IsSpace(next)
	switch {
	case apart && (strings.ContainsRune(bullets, first) || unicode.Is(symbols, first)), strings.ContainsRune(glued, first) && next != first,
		private && !unicode.Is(unicode.Co, next):
		return true, false
	default:
		sign = apart && strings.ContainsRune(signs, first)
		return sign, sign
	}
}

// Box reports whether a character is a box, and whether that is ticked.
func Box(r rune) (box, ticked bool) {
	at := strings.IndexRune(Boxes, r)
	return at >= 0, at > 0
}
