package shape

import "unicode/utf8"

// Sizes of characters that JSON writes otherwise than they are.
const (
	shortEscape = 2 // \n and the like, quotes, backslashes
	longEscape  = 6 // \u0001
)

// WrittenLen is how many bytes a text has in JSON, without its quotes.
func WrittenLen(text string) int64 {
	var size int64
	for _, r := range text {
		switch {
		case r == '"', r == '\\', r == '\n', r == '\r', r == '\t', r == '\b', r == '\f':
			size += shortEscape
		case r < ' ', r == '\u2028', r == '\u2029', r == utf8.RuneError:
			size += longEscape
		default:
			size += int64(utf8.RuneLen(r))
		}
	}
	return size
}
