package extract

import (
	"bytes"
	"encoding/binary"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/unicode/norm"
)

// Text converts plain text: its encoding is found out, line ends become \n and
// characters NFC. Everything else is kept as it is.
func Text(raw []byte) (Document, error) {
	text, found, err := Decode(raw)
	if err != nil {
		return Document{}, err
	}
	return canonical(text, found)
}

// Markdown converts text that is in UTF-8 as it is, as Text does.
func Markdown(text string) (Document, error) { return canonical(Canonical(text), Metadata{}) }

// canonical checks text that is canonical.
func canonical(text string, found Metadata) (Document, error) {
	switch {
	case len(text) > MaxText:
		return Document{}, Fail(TooLarge, "The file holds more than 20 MiB of text.")
	case Blank(text):
		return Document{}, Fail(Empty, "The file holds nothing but white space.")
	}
	return Document{Markdown: text, Metadata: found}, nil
}

// Decode finds out the encoding of a text and returns its canonical form, with the
// encoding and how many bytes are none of it.
func Decode(raw []byte) (text string, found Metadata, err error) {
	text, found, err = decode(raw)
	return Canonical(strings.TrimLeft(text, mark)), found, err
}

// Blank reports whether a text has no visible character.
func Blank(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool {
		return !unicode.IsSpace(r) && unicode.IsPrint(r)
	}) < 0
}

// Canonical returns a text with \n as line end and in form NFC, without a NUL,
// which rows cannot hold.
func Canonical(text string) string {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\x00", "").Replace(text)
	return norm.NFC.String(text)
}

// mark is the byte order mark as a character; of files joined to one several may come first.
const mark = "\ufeff"

// Byte order marks.
var (
	markUTF8    = []byte{0xef, 0xbb, 0xbf}
	markUTF16LE = []byte{0xff, 0xfe}
	markUTF16BE = []byte{0xfe, 0xff}
)

// western is the encoding of what is in no other one: nearly all bytes are a
// character of it.
const western = "windows-1252"

// decode finds the encoding: by a byte order mark, whatever stands behind it; else UTF-8 if
// it is valid; else UTF-16 by its zero bytes; else Windows-1252 if no control character
// contradicts it.
func decode(raw []byte) (text string, found Metadata, err error) {
	switch {
	case bytes.HasPrefix(raw, markUTF8):
		return marked(raw[len(markUTF8):], "utf-8", fromUTF8)
	case bytes.HasPrefix(raw, markUTF16LE):
		return marked(raw[len(markUTF16LE):], "utf-16le", fromUTF16(binary.LittleEndian))
	case bytes.HasPrefix(raw, markUTF16BE):
		return marked(raw[len(markUTF16BE):], "utf-16be", fromUTF16(binary.BigEndian))
	}
	if order, name := zeroBytes(raw); order != nil {
		if text, bad := fromUTF16(order)(raw); bad == 0 && !strings.ContainsFunc(text, unassigned) {
			return checked(text, Metadata{Encoding: name})
		}
		return "", Metadata{}, unknownEncoding()
	}
	if utf8.Valid(raw) {
		return checked(string(raw), Metadata{Encoding: "utf-8"})
	}
	decoded, err := charmap.Windows1252.NewDecoder().Bytes(raw)
	if err != nil || bytes.ContainsRune(decoded, utf8.RuneError) {
		return "", Metadata{}, unknownEncoding()
	}
	return checked(string(decoded), Metadata{Encoding: western})
}

// marked reads a text that names its encoding by a mark.
func marked(raw []byte, encoding string, read func([]byte) (string, int)) (string, Metadata, error) {
	text, bad := read(raw)
	return checked(text, Metadata{Encoding: encoding, BadBytes: bad})
}

// fromUTF8 returns a text in which each byte that is no part of a character is U+FFFD, and
// how many these are.
func fromUTF8(raw []byte) (text string, bad int) {
	if utf8.Valid(raw) {
		return string(raw), 0
	}
	var whole strings.Builder
	for len(raw) > 0 {
		r, size := utf8.DecodeRune(raw)
		if r == utf8.RuneError && size == 1 {
			bad++
		}
		whole.WriteRune(r)
		raw = raw[size:]
	}
	return whole.String(), bad
}

func unknownEncoding() error {
	return Fail(UnsupportedEncoding, "The text is in no known encoding; save it as UTF-8.")
}

// unassigned reports whether Unicode has no character there.
func unassigned(r rune) bool { return unicode.Is(unicode.Cn, r) }

// zeroBytes finds the order of UTF-16 without a mark: the spaces, digits and line ends of any
// script have their zeros all on one side, and no other encoding has any.
func zeroBytes(raw []byte) (binary.ByteOrder, string) {
	var zeros [2]int
	for i, b := range raw {
		if b == 0 {
			zeros[i&1]++
		}
	}
	const fewest, clearly = 200, 20
	switch {
	case len(raw)%2 != 0:
		return nil, ""
	case zeros[1]*fewest > len(raw) && zeros[0]*clearly < zeros[1]:
		return binary.LittleEndian, "utf-16le"
	case zeros[0]*fewest > len(raw) && zeros[1]*clearly < zeros[0]:
		return binary.BigEndian, "utf-16be"
	default:
		return nil, ""
	}
}

// fromUTF16 returns a text in which each half of a character that lacks the other one, and a
// byte that is left at the end, is U+FFFD, and how many bytes these are.
func fromUTF16(order binary.ByteOrder) func(raw []byte) (text string, bad int) {
	return func(raw []byte) (string, int) {
		var whole strings.Builder
		bad := 0
		for len(raw) >= 2 {
			r, size := rune(order.Uint16(raw)), 2
			if utf16.IsSurrogate(r) {
				if r = utf8.RuneError; len(raw) >= 4 {
					r = utf16.DecodeRune(rune(order.Uint16(raw)), rune(order.Uint16(raw[2:])))
				}
				if size = 4; r == utf8.RuneError {
					size = 2
					bad += size
				}
			}
			whole.WriteRune(r)
			raw = raw[size:]
		}
		if len(raw) > 0 {
			whole.WriteRune(utf8.RuneError)
			bad++
		}
		return whole.String(), bad
	}
}

// checked refuses text with control characters that no text has.
func checked(text string, found Metadata) (string, Metadata, error) {
	for _, r := range text {
		if unicode.IsControl(r) && !strings.ContainsRune("\t\n\r\f\v\b\x1b\x1a\u0085", r) {
			return "", Metadata{}, unknownEncoding()
		}
	}
	return text, found, nil
}

// HasText reports whether a text holds enough letters not to be a scan's.
func HasText(text string) bool { return letters(text) >= MinLetters }
