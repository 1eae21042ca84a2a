package table

import (
	"math"
	"strconv"
	"strings"
)

// layout is where the pieces of a section put the digits of a number.
type layout struct {
	// whole, fraction and exponent are the places of digits before the point, behind it,
	// and behind E.
	whole, fraction, exponent []int
	// grouped: a comma stands before each three digits. scale is by how many thousands the
	// number is divided, percents how many percent signs there are.
	grouped         bool
	scale, percents int
	// silent are the commas that say so, which are not shown.
	silent map[int]bool
}

// layout reads the pieces of a section. Commas between digits group them, those behind
// the last one divide by thousands.
func (s section) layout() layout {
	l := layout{silent: map[int]bool{}}
	part, commas := &l.whole, 0
	for i, p := range s.pieces {
		switch p.kind {
		case digit:
			l.grouped = l.grouped || commas > 0 && part == &l.whole
			commas = 0
			*part = append(*part, i)
		case comma:
			if len(*part) > 0 {
				l.silent[i] = true
				commas++
			}
		case point, exponent:
			l.scale += commas
			commas = 0
			if part = &l.fraction; p.kind == exponent {
				part = &l.exponent
			}
		case percent:
			l.percents++
		}
	}
	l.scale += commas
	return l
}

// number returns how the section shows a number without its sign.
func (s section) number(n number) string {
	l := s.layout()
	d := decimalOf(n.value).times(2*l.percents - 3*l.scale)
	power := 0
	switch {
	case s.has(general):
		return s.join(func(_ int, p piece) string { return s.plain(p, n) })
	case s.has(slash) && len(l.whole) > 0:
		return s.ratio(math.Abs(n.value))
	case len(l.exponent) > 0:
		d, power = l.scientific(d)
	}
	d = d.rounded(len(l.fraction))
	digits := l.digits(s, d, power)
	return s.join(func(i int, p piece) string {
		switch p.kind {
		case digit:
			return digits[i]
		case point:
			if len(l.whole) == 0 {
				return d.whole() + "."
			}
			return "."
		case exponent:
			return sign(p.text, power)
		case comma:
			if l.silent[i] {
				return ""
			}
		}
		return p.text
	})
}

// plain returns what a piece of a section shows that has the number as it is.
func (s section) plain(p piece, n number) string {
	if p.kind == general {
		return strings.TrimPrefix(n.plain(), "-")
	}
	return p.text
}

// join returns what all pieces show.
func (s section) join(show func(i int, p piece) string) string {
	var shown strings.Builder
	for i, p := range s.pieces {
		shown.WriteString(show(i, p))
	}
	return shown.String()
}

func sign(of string, power int) string {
	switch {
	case power < 0:
		return "E-"
	case of == "+":
		return "E+"
	default:
		return "E"
	}
}

// scientific returns what stands before the E, and the power of ten behind it: a multiple
// of how many digits there are before the point.
func (l layout) scientific(d decimal) (mantissa decimal, power int) {
	if d.digits == "" {
		return d, 0
	}
	step := max(1, len(l.whole))
	power = d.point - 1
	if power -= power % step; power > d.point-1 { // Go rounds towards zero
		power -= step
	}
	mantissa = d.times(-power).rounded(len(l.fraction))
	if mantissa.point > step {
		return mantissa.times(-step), power + step
	}
	return mantissa, power
}

// digits returns what each piece shows that stands for a digit.
func (l layout) digits(s section, d decimal, power int) map[int]string {
	shown := map[int]string{}
	fillWhole(shown, s, l.whole, d.whole(), l.grouped)
	fillWhole(shown, s, l.exponent, strings.TrimLeft(strconv.Itoa(max(power, -power)), "0"), false)
	fraction := d.fraction(len(l.fraction))
	last := len(strings.TrimRight(fraction, "0"))
	for j, i := range l.fraction {
		if s.pieces[i].text == "0" {
			last = max(last, j+1)
		}
	}
	for j, i := range l.fraction {
		if shown[i] = blank(s.pieces[i]); j < last {
			shown[i] = fraction[j : j+1]
		}
	}
	return shown
}

// fillWhole sets the digits of a whole number from the right; those without a place stand
// before the first one.
func fillWhole(shown map[int]string, s section, places []int, digits string, grouped bool) {
	for j, i := range places {
		behind := len(places) - 1 - j
		var own string
		switch {
		case j == 0 && len(digits) > behind:
			own = digits[:len(digits)-behind]
		case len(digits) > behind:
			own = digits[len(digits)-behind-1 : len(digits)-behind]
		case s.pieces[i].text == "0":
			own = "0"
		default:
			shown[i] = blank(s.pieces[i])
			continue
		}
		if grouped {
			own = groups(own, behind)
		}
		shown[i] = own
	}
}

// groups puts a comma behind each digit that has a multiple of three others behind it,
// where so many stand behind all of these.
func groups(digits string, behind int) string {
	var grouped strings.Builder
	for i := range len(digits) {
		grouped.WriteByte(digits[i])
		if left := len(digits) - 1 - i + behind; left > 0 && left%3 == 0 {
			grouped.WriteByte(',')
		}
	}
	return grouped.String()
}

// blank is what stands in place of a digit that there is none of.
func blank(p piece) string {
	switch p.text {
	case "0":
		return "0"
	case "?":
		return " "
	default:
		return ""
	}
}
