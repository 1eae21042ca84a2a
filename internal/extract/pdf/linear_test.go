package pdf

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit/linear"
)

// pageOf is a page of n lines, of which each one is made by its number.
func pageOf(n int, lineOf func(i int) line) page {
	p := page{parts: [][]line{nil}}
	for i := range n {
		l := lineOf(i)
		p.parts[0] = append(p.parts[0], l)
	}
	return p
}

func at(text string, x, y float64) line {
	return line{text: text, size: 11, x: x, y: y, end: x + 5*float64(len(text))}
}

// down are lines below each other.
func down(text func(i int) string) func(i int) line {
	return func(i int) line { return at(text(i), 72, -14*float64(i)) }
}

func same(text string) func(int) string { return func(int) string { return text } }

// Whatever a page holds, its lines are laid out in time that grows with their number.
func TestLong_LayoutIsLinear(t *testing.T) {
	for name, lines := range map[string]func(int) line{
		"one paragraph":         down(same("abx")),
		"one row":               func(i int) line { return at("abx", 5*float64(i), 0) },
		"one point":             func(int) line { return at("abx", 0, 0) },
		"divided words":         down(same("abx-")),
		"right to left":         func(i int) line { return at("abx", -5*float64(i), 0) },
		"items":                 down(func(i int) string { return fmt.Sprintf("1.%d abx", i%999) }),
		"marks":                 down(same("•")),
		"marks in one row":      func(i int) line { return at("•", float64(i%7), 0) },
		"marks beside texts":    func(i int) line { return at([]string{"•", "abx"}[i%2], 72+9*float64(i%2), -float64(i/2)) },
		"texts before marks":    func(i int) line { return at([]string{"abx", "•"}[i%2], 81-9*float64(i%2), -float64(i/2)) },
		"numbers by chance":     down(same("7.3 metres")),
		"large letters":         func(i int) line { l := at("A", 72, -14*float64(i)); l.size = 11 + 22*float64(i%2); return l },
		"sizes of their own":    func(i int) line { l := at("abx", 72, -14*float64(i)); l.size = 11 + float64(i)/2; return l },
		"columns of one line":   func(i int) line { return at("abx", 72*float64(i), float64(i)) },
		"far out":               func(i int) line { return at("• abx", math.Pow(10, float64(i%300)), -math.Pow(10, float64(i%300))) },
		"combined with nothing": down(same("\u0301\u0301")),
	} {
		t.Run(name, func(t *testing.T) {
			linear.Require(t, func(n int) func() {
				pages := []page{pageOf(n, lines)}
				return func() { _, _ = document(context.Background(), pages) }
			})
		})
	}
}

func TestLong_PagesAreLaidOutInLinearTime(t *testing.T) {
	for name, text := range map[string]string{"divided words": "abx-", "words": "abx", "large": "A"} {
		t.Run(name, func(t *testing.T) {
			linear.Require(t, func(n int) func() {
				pages := make([]page, n)
				for i := range pages {
					pages[i] = pageOf(5, down(same(text)))
				}
				return func() { _, _ = document(context.Background(), pages) }
			})
		})
	}
}

// One line may be a whole page.
func TestLong_ALongLineIsReadInLinearTime(t *testing.T) {
	for name, text := range map[string]string{
		"letters": "אב", "numbers": "1 ", "mixed": "א a1 ", "strays": "a .1 ", "brackets": "א(", "closing": "א)[", "open": "a(", "marks": "א\u05b0",
		"left": "a א b", "words of numbers": "12.5, ",
	} {
		t.Run(name, func(t *testing.T) {
			linear.Require(t, func(n int) func() {
				var row []letter
				for i, char := range []rune(strings.Repeat(text, n) + "א") {
					row = append(row, letter{char: char, index: i, x: float64(i)})
				}
				return func() {
					right := slices.Clone(row)
					unmirror(right, true)
					unfold(right)
					logical([]line{{shown: shown(right), fromRight: true}, {shown: shown(row)}})
				}
			})
		})
	}
}

func TestLong_FieldsArePlacedInLinearTime(t *testing.T) {
	for name, place := range map[string]func(i int) field{
		"in a row":     func(i int) field { return field{text: "value", left: float64(i), bottom: 0, top: 20} },
		"in a column":  func(i int) field { return field{text: "value", left: 9, bottom: float64(i), top: float64(i) + 20} },
		"of one place": func(int) field { return field{text: "value", left: 9, bottom: 0, top: 800} },
	} {
		t.Run(name, func(t *testing.T) {
			linear.Require(t, func(n int) func() {
				p := pageOf(n, func(i int) line { return at("abx", float64(i), float64(i%900)) })
				var fields []field
				for i := range n {
					fields = append(fields, place(i))
				}
				return func() { p.withFields(fields) }
			})
		})
	}
}

// A conversion that nobody waits for any more ends between two lines.
func TestLayoutEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := document(ctx, []page{pageOf(1, down(same("abx")))})
	require.ErrorIs(t, err, context.Canceled)
}
