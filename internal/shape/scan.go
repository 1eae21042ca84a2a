package shape

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// MaxDepth is how deep a request's JSON may nest.
const MaxDepth = 64

// The faults of a text that is no JSON value we read.
var (
	ErrUTF8  = errors.New("the body is not valid UTF-8")
	ErrDepth = errors.New("the body nests deeper than 64 levels")
	ErrJSON  = errors.New("the body is not one valid JSON value")
)

// leniently leaves to Read what is a fault of a single value: a name that is
// given twice, and half a surrogate pair in an escape.
var leniently = []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}

// Check reports whether raw is exactly one JSON value in valid UTF-8, not nested
// deeper than MaxDepth. Read relies on it. Depth is looked at first: a megabyte
// of brackets costs one glance, not a parse.
func Check(raw []byte) error {
	if !utf8.Valid(raw) {
		return ErrUTF8
	}
	if tooDeep(raw) {
		return ErrDepth
	}
	if !jsontext.Value(raw).IsValid(leniently...) {
		return ErrJSON
	}
	return nil
}

func tooDeep(raw []byte) bool {
	depth, inString := 0, false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			if depth++; depth > MaxDepth {
				return true
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return false
}

// scanner walks JSON that Check has accepted; so it looks for no syntax error.
type scanner struct {
	buf []byte
	pos int
}

// peek is the first byte of the next value or mark.
func (s *scanner) peek() byte {
	for {
		switch c := s.buf[s.pos]; c {
		case ' ', '\t', '\n', '\r':
			s.pos++
		default:
			return c
		}
	}
}

// skip passes over the next value and gives its text.
func (s *scanner) skip() []byte {
	first := s.peek()
	start := s.pos
	switch first {
	case '"':
		s.skipString()
	case '{', '[':
		s.skipNested()
	default:
		s.skipPlain()
	}
	return s.buf[start:s.pos]
}

func (s *scanner) skipString() {
	for s.pos++; s.buf[s.pos] != '"'; s.pos++ {
		if s.buf[s.pos] == '\\' {
			s.pos++
		}
	}
	s.pos++
}

func (s *scanner) skipNested() {
	for depth := 0; ; {
		switch s.buf[s.pos] {
		case '"':
			s.skipString()
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		s.pos++
		if depth == 0 {
			return
		}
	}
}

// skipPlain passes over a number, true, false or null.
func (s *scanner) skipPlain() {
	for s.pos < len(s.buf) && strings.IndexByte(" \t\r\n,]}", s.buf[s.pos]) < 0 {
		s.pos++
	}
}

// key passes over a name and its colon and gives the name.
func (s *scanner) key() []byte {
	name, _ := s.checkedKey()
	return name
}

// checkedKey is key; storable says that a row can hold the name.
func (s *scanner) checkedKey() (name []byte, storable bool) {
	raw := s.skip()
	s.peek()
	s.pos++
	name = unquote(raw)
	return name, !unstorable(raw, name)
}

// more passes over the comma after an element; false at the closing mark,
// which is passed over too. At the first element it only looks for the close.
func (s *scanner) more(first bool) bool {
	c := s.peek()
	if c == '}' || c == ']' {
		s.pos++
		return false
	}
	if !first {
		s.pos++
	}
	return true
}

// unquote returns the text of a string literal; without escapes it is a part of
// the literal itself, not a copy.
func unquote(literal []byte) []byte {
	inner := literal[1 : len(literal)-1]
	if bytes.IndexByte(inner, '\\') < 0 {
		return inner
	}
	var text string
	_ = json.Unmarshal(literal, &text) // cannot fail: Check accepted it
	return []byte(text)
}

// unstorable finds an escape that Postgres cannot store as text: NUL, and
// a half of a surrogate pair, which would silently become another character.
func unstorable(literal, text []byte) bool {
	if bytes.IndexByte(text, 0) >= 0 {
		return true
	}
	return bytes.IndexByte(literal, '\\') >= 0 &&
		bytes.Count(text, []byte("\uFFFD")) > replacementsSent(literal)
}

// replacementsSent counts the replacement characters that the caller wrote
// itself, plain or as an escape.
func replacementsSent(literal []byte) int {
	return bytes.Count(literal, []byte("\uFFFD")) + bytes.Count(bytes.ToLower(literal), []byte(`\ufffd`))
}
