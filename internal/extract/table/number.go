package table

import (
	"math"
	"strconv"
	"strings"
)

// number is one in a cell.
type number struct {
	// written is how it stands in the file; empty where only value is known.
	written string
	value   float64
}

// show returns how the format shows a number.
func (f *format) show(n number, days calendar) string {
	s := f.chosen(n.value)
	var shown string
	switch {
	case s.kind != numberKind && math.Abs(n.value) > lastDay:
		return n.plain()
	case s.kind == dateKind:
		moment, known := days.moment(s, n.value)
		if !known {
			return n.plain()
		}
		return moment
	case s.kind == durationKind:
		shown = s.duration(math.Abs(n.value))
	default:
		shown = s.number(n)
	}
	if n.value < 0 && !s.negative && shown != "" {
		return "-" + shown
	}
	return shown
}

const (
	// maxPlain is the least number that is shown with an exponent, minPlain the least
	// that is shown without.
	maxPlain, minPlain = 1e21, 1e-15
	// precision is how many digits of a number mean something that is none of whole units:
	// further ones come from how it is kept.
	precision = 15
)

// plain returns a number with all its digits.
func (n number) plain() string {
	value := math.Abs(n.value)
	switch {
	case isInteger(n.written):
		return n.written
	case value != 0 && value < minPlain, value >= maxPlain:
		return strconv.FormatFloat(n.value, 'G', -1, 64)
	}
	d := decimalOf(value)
	text := d.whole()
	if text == "" {
		text = "0"
	}
	if places := len(d.digits) - d.point; places > 0 {
		text += "." + d.fraction(places)
	}
	if n.value < 0 {
		return "-" + text
	}
	return text
}

// isInteger reports whether a number is written with nothing but digits.
func isInteger(written string) bool {
	digits := strings.TrimPrefix(written, "-")
	return digits != "" && strings.Trim(digits, "0123456789") == "" && (digits == "0" || digits[0] != '0')
}

// decimal is a number without its sign as 0.digits times ten to the power of point, without
// zeros at the end.
type decimal struct {
	digits string
	point  int
}

func decimalOf(value float64) decimal {
	places := -1
	if value != math.Trunc(value) {
		places = precision - 1
		if short := strconv.FormatFloat(value, 'e', -1, 64); strings.IndexByte(short, 'e') <= precision {
			places = -1
		}
	}
	mantissa, power, _ := strings.Cut(strconv.FormatFloat(math.Abs(value), 'e', places, 64), "e")
	point, _ := strconv.Atoi(power) // of a float it is a number
	digits := strings.TrimRight(strings.Replace(mantissa, ".", "", 1), "0")
	if digits == "" {
		return decimal{}
	}
	return decimal{digits, point + 1}
}

// times returns the number times ten to a power.
func (d decimal) times(power int) decimal {
	if d.digits != "" {
		d.point += power
	}
	return d
}

// rounded returns the number with so many places behind its point, halves up.
func (d decimal) rounded(places int) decimal {
	keep := d.point + places
	switch {
	case keep >= len(d.digits):
		return d
	case keep < 0:
		return decimal{}
	case d.digits[keep] < '5':
		return trimmed(d.digits[:keep], d.point)
	}
	last := keep - 1
	for last >= 0 && d.digits[last] == '9' {
		last--
	}
	if last < 0 {
		return decimal{"1", d.point + 1}
	}
	return decimal{d.digits[:last] + string(d.digits[last]+1), d.point}
}

func trimmed(digits string, point int) decimal {
	if digits = strings.TrimRight(digits, "0"); digits == "" {
		return decimal{}
	}
	return decimal{digits, point}
}

// whole returns the digits before the point, none of a number below one.
func (d decimal) whole() string {
	switch {
	case d.point <= 0:
		return ""
	case d.point >= len(d.digits):
		return d.digits + strings.Repeat("0", d.point-len(d.digits))
	default:
		return d.digits[:d.point]
	}
}

// fraction returns so many digits behind the point.
func (d decimal) fraction(places int) string {
	digits := d.digits
	if d.point < 0 {
		digits = strings.Repeat("0", min(places, -d.point)) + digits
	} else {
		digits = digits[min(len(digits), d.point):]
	}
	return digits[:min(len(digits), places)] + strings.Repeat("0", max(0, places-len(digits)))
}
