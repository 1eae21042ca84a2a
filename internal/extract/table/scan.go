package table

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/redline-svc/redline/internal/extract"
)

// scanner reads rows as RFC 4180 has them, and beyond it what people and programs write. Spaces
// may stand between the quotation marks around a cell and the delimiter. A mark within a cell
// that has none around it, or that nothing closes behind, is one of its letters: encoding/csv
// takes such a cell to the end of the file.
type scanner struct {
	text      string
	delimiter rune
	// line is that of the text which is left, from 1.
	line int
	row  []string
}

func newScanner(text string, delimiter rune) *scanner {
	return &scanner{text: text, delimiter: delimiter, line: 1}
}

// next returns the next row that is no empty line, which stands until the one after it is read;
// nil at the end. The only error is that of a mark that is never closed.
func (s *scanner) next() ([]string, error) {
	s.row = s.row[:0]
	rest := strings.TrimLeft(s.text, "\n")
	s.line += len(s.text) - len(rest)
	if s.text = rest; rest == "" {
		return nil, nil
	}
	for {
		cell, err := s.cell()
		if err != nil {
			return nil, err
		}
		s.row = append(s.row, cell)
		sign, size := utf8.DecodeRuneInString(s.text)
		if size == 0 || sign == '\n' {
			return s.row, nil
		}
		s.text = s.text[size:]
	}
}

// cell takes a cell off the text, which then begins with a delimiter or line end, or is empty.
func (s *scanner) cell() (string, error) {
	inner := strings.TrimLeftFunc(s.text, s.space)
	marked, spaced := strings.HasPrefix(inner, `"`), len(inner) < len(s.text)
	if marked {
		cell, rest, closed := s.quoted(inner[1:], spaced)
		if closed {
			s.line += strings.Count(inner[:len(inner)-len(rest)], "\n")
			s.text = rest
			return cell, nil
		}
		if !spaced {
			return "", extract.Fail(extract.Corrupt, fmt.Sprintf("The quotation mark in line %d is never closed.", s.line))
		}
	}
	end := strings.IndexFunc(s.text, s.ends)
	if end < 0 {
		end = len(s.text)
	}
	cell := s.text[:end]
	s.text = s.text[end:]
	return cell, nil
}

// quoted reads a cell behind its first mark, up to one with nothing but spaces before the end of
// the cell. Two marks are one of its letters, and so is one alone, which a strict reading does
// not take.
func (s *scanner) quoted(text string, strict bool) (cell, rest string, closed bool) {
	var inside strings.Builder
	for {
		before, after, found := strings.Cut(text, `"`)
		if !found {
			return "", "", false
		}
		inside.WriteString(before)
		behind := strings.TrimLeftFunc(after, s.space)
		next, size := utf8.DecodeRuneInString(behind)
		switch {
		case strings.HasPrefix(after, `"`):
			after = after[1:]
		case size == 0 || s.ends(next):
			return inside.String(), behind, true
		case strict:
			return "", "", false
		}
		inside.WriteByte('"')
		text = after
	}
}

// space reports whether a character is white space within a line.
func (s *scanner) space(r rune) bool {
	return unicode.IsSpace(r) && r != '\n' && !unicode.IsSpace(s.delimiter)
}

func (s *scanner) ends(r rune) bool { return r == s.delimiter || r == '\n' }
