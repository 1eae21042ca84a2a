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
	text, encoding, err := Decode(raw)
	if err != nil {
		return Document{}, err
	}
	return canonical(text, Metadata{Encoding: encoding})
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
// name of the encoding.
func Decode(raw []byte) (text, encoding string, err error) {
	text, encoding, err = decode(raw)
	return Canonical(text), encoding, err
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

// Byte order marks.
var (
	markUTF8    = []byte{0xef, 0xbb, 0xbf}
	markUTF16LE = []byte{0xff, 0xfe}
	markUTF16BE = []byte{0xfe, 0xff}
)

// western is the encoding of what is in no other one: nearly all bytes are a
// character of it.
const western = "windows-1252"

// decode finds the encoding: by a byte order mark; else UTF-8 if it is valid;
// else UTF-16 by its zero bytes; else Windows-1252 if no control character
// contradicts it.
func decode(raw []byte) (text, encoding string, err error) {
	switch {
	case bytes.HasPrefix(raw, markUTF8) && utf8.Valid(raw):
		return checked(string(raw[len(markUTF8):]), "utf-8")
	case bytes.HasPrefix(raw, markUTF16LE):
		return checked(fromUTF16(raw[2:], binary.LittleEndian), "utf-16le")
	case bytes.HasPrefix(raw, markUTF16BE):
		return checked(fromUTF16(raw[2:], binary.BigEndian), "utf-16be")
	}
	if order, name := zeroBytes(raw); order != nil {
		return checked(fromUTF16(raw, order), name)
	}
	if utf8.Valid(raw) {
		return checked(string(raw), "utf-8")
	}
	decoded, err := charmap.Windows1252.NewDecoder().Bytes(raw)
	if err != nil {
		return "", "", unknownEncoding()
	}
	return checked(string(decoded), western)
}

func unknownEncoding() error {
	return Fail(UnsupportedEncoding, "The text is in no known encoding; save it as UTF-8.")
}

// zeroBytes finds the order of UTF-16 without a mark: mostly western text has
// its zeros all on one side.
func zeroBytes(raw []byte) (binary.ByteOrder, string) {
	var zeros [2]int
	for i, b := range raw {
		if b == 0 {
			zeros[i&1]++
		}
	}
	half := len(raw) / 2
	switch {
	case len(raw)%2 != 0 || half == 0:
		return nil, ""
	case zeros[1]*10 > half*3 && zeros[0]*20 < zeros[1]:
		return binary.LittleEndian, "utf-16le"
	case zeros[0]*10 > half*3 && zeros[1]*20 < zeros[0]:
		return binary.BigEndian, "utf-16be"
	default:
		return nil, ""
	}
}

func fromUTF16(raw []byte, order binary.ByteOrder) string {
	units := make([]uint16, len(raw)/2)
	for i := range units {
		units[i] = order.Uint16(raw[2*i:])
	}
	return string(utf16.Decode(units))
}

// checked refuses text with control characters that no text has.
func checked(text, encoding string) (string, string, error) {
	for _, r := range text {
		if unicode.IsControl(r) && !strings.ContainsRune("\t\n\r\f\v\b\x1b\x1a\u0085", r) || r == utf8.RuneError && encoding != "utf-8" {
			return "", "", unknownEncoding()
		}
	}
	return text, encoding, nil
}

// HasText reports whether a text holds enough letters not to be a scan's.
func HasText(text string) bool { return letters(text) >= MinLetters }
