package table

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// calendar is how a workbook counts days: from the begin of 1900, with a 29th of
// February in that year that there was not, or from the begin of 1904.
type calendar struct{ date1904 bool }

const (
	daySeconds = 24 * 60 * 60
	// leapDay is the number of the day that there was not, lastDay that of 9999-12-31 in
	// the calendar of 1900.
	leapDay, lastDay = 60, 2_958_465
	// between is by how many days the calendars differ.
	between = 1462
)

// first is day 0 of the calendar of 1904, and of that of 1900 behind its leap day.
func (c calendar) first() time.Time {
	if c.date1904 {
		return time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	return time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
}

// serial returns the number of a moment.
func (c calendar) serial(moment time.Time) float64 {
	return moment.Sub(c.first()).Hours() / 24
}

// date returns a day in ISO 8601; day 0 of the calendar of 1900 and the one that there was
// not have the names that workbooks give them.
func (c calendar) date(day int) string {
	switch {
	case !c.date1904 && day == 0:
		return "1900-01-00"
	case !c.date1904 && day == leapDay:
		return "1900-02-29"
	case !c.date1904 && day < leapDay:
		day++
	}
	return c.first().AddDate(0, 0, day).Format(time.DateOnly)
}

// moment returns how a section shows the moment of a number: in ISO 8601, the date, the
// time of day, or both, as the section has them. Numbers before day 0 and behind 9999-12-31
// are no moments.
func (c calendar) moment(s section, value float64) (shown string, known bool) {
	last := lastDay
	if c.date1904 {
		last -= between
	}
	if value < 0 || value >= float64(last+1) {
		return "", false
	}
	date, clock := s.shows()
	ticks := ticksOf(value, s.places())
	perDay := daySeconds * pow10(s.places())
	day, rest := ticks/perDay, ticks%perDay
	of := s.clock(rest)
	switch {
	case date && clock:
		return c.date(day) + "T" + of, true
	case date:
		return c.date(int(math.Floor(value))), true
	default:
		return of, true
	}
}

// shows reports whether a section shows a date, and a time of day.
func (s section) shows() (date, clock bool) {
	month := false
	for _, p := range s.pieces {
		switch {
		case p.kind != moment:
		case p.text == "am/pm", p.text[0] == 'h', p.text[0] == 's':
			clock = true
		case p.text == "m" || p.text == "mm":
			month = true
		default:
			date = true
		}
	}
	return date || month && !clock, clock
}

// places is how many places of a second a section shows.
func (s section) places() int {
	l := s.layout()
	return min(len(l.fraction), maxPlaces)
}

// maxPlaces is how many places of a second mean something: a number of this century has
// no more.
const maxPlaces = 3

func pow10(places int) int { return int(math.Pow10(places)) }

// ticksOf returns the nearest number of seconds, or of tenths and so on of them, of a number
// of days.
func ticksOf(days float64, places int) int {
	return int(math.Round(days * daySeconds * math.Pow10(places)))
}

// clock returns a time of day in ISO 8601.
func (s section) clock(ticks int) string {
	places := s.places()
	seconds, rest := ticks/pow10(places), ticks%pow10(places)
	text := fmt.Sprintf("%02d:%02d:%02d", seconds/3600, seconds/60%60, seconds%60)
	if places > 0 {
		text += fmt.Sprintf(".%0*d", places, rest)
	}
	return text
}

// duration returns how a section shows a number of days, of which each piece has its part:
// one in brackets all of it. A duration knows no calendar.
func (s section) duration(days float64) string {
	places := s.places()
	ticks := ticksOf(days, places)
	if !s.hasSeconds() { // what is not shown is not rounded up to what is
		ticks = int(math.Floor(days*daySeconds + 0.0005))
		places = 0
	}
	seconds := ticks / pow10(places)
	rest := fmt.Sprintf("%0*d", max(1, places), ticks%pow10(places))
	return s.join(func(_ int, p piece) string {
		switch p.kind {
		case elapsed, moment:
			return padded(part(p, seconds), len(p.text))
		case digit:
			digit := rest[:1]
			rest = rest[1:] + "0"
			return digit
		default:
			return p.text
		}
	})
}

func (s section) hasSeconds() bool {
	for _, p := range s.pieces {
		if (p.kind == elapsed || p.kind == moment) && p.text[0] == 's' {
			return true
		}
	}
	return false
}

// part returns the part of seconds that a piece shows.
func part(p piece, seconds int) int {
	size, within := daySeconds, math.MaxInt
	switch p.text[0] {
	case 'h':
		size, within = 3600, 24
	case 'm':
		size, within = 60, 60
	case 's':
		size, within = 1, 60
	}
	if p.kind == elapsed {
		return seconds / size
	}
	return seconds / size % within
}

func padded(number, length int) string {
	text := strconv.Itoa(number)
	return strings.Repeat("0", max(0, length-len(text))) + text
}
