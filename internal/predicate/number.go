package predicate

import (
	"encoding/json"
	"math/big"
	"strconv"
	"strings"
)

// maxExponent is how many digits of an exponent count; of a longer one their number does as well.
// To read them all takes time that grows with the square of their number.
const maxExponent = 1000

// number is one of a decoded value. It is read once, whatever it is compared with.
type number struct {
	text string
	decimal
}

func numberOf(text string) *number { return &number{text, parseDecimal(text)} }

// MarshalJSON returns it as it was written.
func (n *number) MarshalJSON() ([]byte, error) { return []byte(n.text), nil }

// withNumbers reads the numbers of a decoded value.
func withNumbers(value any) any {
	switch v := value.(type) {
	case json.Number:
		return numberOf(string(v))
	case []any:
		for i := range v {
			v[i] = withNumbers(v[i])
		}
	case map[string]any:
		for key := range v {
			v[key] = withNumbers(v[key])
		}
	}
	return value
}

// decimal is a number as sign, digits and exponent: sign * 0.digits * 10^exponent.
// The digits have no zeros at either end, so equal numbers have equal parts and
// two numbers are compared without ever writing them out.
type decimal struct {
	sign     int // -1, 0, 1
	digits   string
	exponent *big.Int
}

// parseDecimal reads a number in JSON notation.
func parseDecimal(text string) decimal {
	d := decimal{sign: 1, exponent: new(big.Int)}
	if rest, negative := strings.CutPrefix(text, "-"); negative {
		d.sign, text = -1, rest
	}
	mantissa := text
	if at := strings.IndexAny(text, "eE"); at >= 0 {
		mantissa = text[:at]
		d.exponent.SetString(exponentOf(text[at+1:]), 10)
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := whole + fraction
	significant := strings.TrimLeft(digits, "0")
	if significant == "" {
		return decimal{}
	}
	leading := len(digits) - len(significant)
	d.exponent.Add(d.exponent, big.NewInt(int64(len(whole)-leading)))
	d.digits = strings.TrimRight(significant, "0")
	return d
}

// exponentOf is what counts of the digits of an exponent, with its sign.
func exponentOf(text string) string {
	digits := strings.TrimLeft(text, "+-0")
	if len(digits) > maxExponent {
		digits = strconv.Itoa(len(digits)) + digits[:maxExponent]
	}
	if strings.HasPrefix(text, "-") {
		return "-0" + digits
	}
	return "0" + digits
}

// compare returns -1, 0 or 1 as d is below, equal to or above other.
func (d decimal) compare(other decimal) int {
	if d.sign != other.sign {
		if d.sign < other.sign {
			return -1
		}
		return 1
	}
	if d.sign == 0 {
		return 0
	}
	if c := d.exponent.Cmp(other.exponent); c != 0 {
		return d.sign * c
	}
	// Digits after the point: the order of the texts is the order of the values.
	return d.sign * strings.Compare(d.digits, other.digits)
}
