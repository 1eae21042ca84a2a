package table

import (
	"math"
	"strconv"
	"strings"
)

// ratio returns how the section shows a number as a fraction: the digits right before its
// slash are the numerator's, those before them the whole number's.
func (s section) ratio(value float64) string {
	at := 0
	for s.pieces[at].kind != slash {
		at++
	}
	from, to := at, at+1
	for from > 0 && s.pieces[from-1].kind == digit {
		from--
	}
	for to < len(s.pieces) && (s.pieces[to].kind == digit || isDigits(s.pieces[to].text)) {
		to++
	}
	before, behind := section{pieces: s.pieces[:from]}, section{pieces: s.pieces[to:]}
	whole, broken := math.Modf(value)
	numerator, denominator := nearest(broken, s.pieces[at+1:to])
	if numerator == denominator {
		whole, numerator = whole+1, 0
	}
	var text string
	switch {
	case !before.has(digit):
		text = before.number(number{}) + quotient(int(whole)*denominator+numerator, denominator)
	case numerator > 0:
		if text = before.number(number{value: whole}); whole == 0 {
			text = strings.TrimLeft(text, " ")
		}
		text += quotient(numerator, denominator)
	case whole > 0:
		text = before.number(number{value: whole})
	default:
		text = "0"
	}
	return text + behind.number(number{})
}

func quotient(numerator, denominator int) string {
	return strconv.Itoa(numerator) + "/" + strconv.Itoa(denominator)
}

func isDigits(text string) bool { return text != "" && strings.Trim(text, "0123456789") == "" }

// nearest returns the fraction nearest to a number below one: by a denominator that
// the pieces name, or by one of at most as many digits as there are pieces.
func nearest(broken float64, below []piece) (numerator, denominator int) {
	var written strings.Builder
	for _, p := range below {
		written.WriteString(p.text)
	}
	if fixed, err := strconv.Atoi(written.String()); err == nil && fixed > 0 {
		return int(math.Round(broken * float64(fixed))), fixed
	}
	const longest = 6
	return convergent(broken, int(math.Pow10(min(max(1, len(below)), longest)))-1)
}

// convergent returns the last convergent of the continued fraction of a number that has a
// denominator of at most so much.
func convergent(value float64, most int) (numerator, denominator int) {
	const enough = 1e-9 // what is left behind it is none of the number's digits
	before, below := [2]int{1, 0}, [2]int{0, 1}
	for rest := value; ; {
		step := int(math.Floor(rest))
		next, nextBelow := step*before[0]+before[1], step*below[0]+below[1]
		if nextBelow > most {
			return before[0], below[0]
		}
		before, below = [2]int{next, before[0]}, [2]int{nextBelow, below[0]}
		if left := rest - float64(step); left > enough {
			rest = 1 / left
			continue
		}
		return before[0], below[0]
	}
}
