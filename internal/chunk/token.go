package chunk

import (
	"math"
	"unicode"
	"unicode/utf8"
)

// runLength is how many letters or digits one token holds.
const runLength = 6

// Tokens counts a text: a run of up to 6 letters or digits, one CJK character,
// or one other visible character is a token.
func Tokens(text string) int {
	count, run := 0, 0
	for _, r := range text {
		switch {
		case unicode.IsSpace(r) || unicode.IsControl(r):
			run = 0
		case cjk(r):
			count++
			run = 0
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			if run%runLength == 0 {
				count++
			}
			run++
		case mark(r): // belongs to the letter before it
		default:
			count++
			run = 0
		}
	}
	return count
}

// firstCJK is the first character of the scripts below, firstMark that of the
// marks that belong to the letter before them: most text needs no table.
const firstCJK, firstMark = 0x1100, 0x0300

func mark(r rune) bool { return r >= firstMark && unicode.Is(unicode.Mn, r) }

func cjk(r rune) bool {
	return r >= firstCJK && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
}

// Head returns the beginning of a text that has so many tokens.
func Head(text string, tokens int) string { return head(text, size{tokens, math.MaxInt}) }

// head returns as much of a text as the size holds, at least one character.
func head(text string, most size) string {
	count, run := 0, 0
	for at, r := range text {
		if at > 0 && at+utf8.RuneLen(r) > most.bytes {
			return text[:at]
		}
		switch {
		case unicode.IsSpace(r) || unicode.IsControl(r):
			run = 0
			continue
		case mark(r):
			continue
		case cjk(r) || !unicode.IsLetter(r) && !unicode.IsDigit(r):
			count++
			run = 0
		default:
			if run%runLength == 0 {
				count++
			}
			run++
		}
		if at > 0 && count > most.tokens {
			return text[:at]
		}
	}
	return text
}
