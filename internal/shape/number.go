package shape

import (
	"bytes"
	"cmp"
	"errors"
	"math/big"
	"reflect"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// Number is a JSON number kept as the text that the caller sent, so that it stays exact. Nil
// when absent.
type Number []byte

// MarshalJSON writes the number as it came; a nil one as null.
func (n Number) MarshalJSON() ([]byte, error) {
	if n == nil {
		return []byte("null"), nil
	}
	return n, nil
}

// UnmarshalJSON keeps a copy of a number's text; null is absent.
func (n *Number) UnmarshalJSON(text []byte) error {
	switch {
	case string(text) == "null":
		*n = nil
	case text[0] == '"' || text[0] == '{' || text[0] == '[' || text[0] == 't' || text[0] == 'f':
		return errors.New("must be a number")
	default:
		*n = bytes.Clone(text)
	}
	return nil
}

// Schema documents a number.
func (Number) Schema(huma.Registry) *huma.Schema { return &huma.Schema{Type: huma.TypeNumber} }

// numberNode keeps a number as its text; it is one that a float64 can come near.
type numberNode struct{ minimum, maximum *float64 }

func (n *numberNode) read(r *reader, into reflect.Value) {
	if !r.isNumber() {
		r.mismatch("a number")
		return
	}
	text := bytes.Clone(r.skip())
	value, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		r.fault(Range, "is outside the range of numbers")
	} else if inRange(r, value, n.minimum, n.maximum) {
		into.SetBytes(text)
	}
}

// Compare is negative, 0 or positive as the number is less than, equal to or greater than
// another, exactly, and whatever their exponents: neither is written out.
func (n Number) Compare(other Number) int {
	a, b := decimalOf(n), decimalOf(other)
	if a.sign != b.sign || a.sign == 0 {
		return a.sign - b.sign
	}
	order := a.first.Cmp(b.first)
	if order == 0 {
		order = strings.Compare(a.digits, b.digits)
	}
	return a.sign * order
}

// Canonical is a text that is the same for equal numbers, and for them alone.
func (n Number) Canonical() string {
	d := decimalOf(n)
	if d.sign == 0 {
		return "0"
	}
	return strconv.Itoa(d.sign) + "." + d.digits + "e" + d.first.String()
}

// decimal is a number by its digits, from the first to the last that is not 0, and where the
// first of them stands.
type decimal struct {
	sign   int
	digits string
	first  *big.Int
}

func decimalOf(n Number) decimal {
	text, negative := strings.CutPrefix(strings.ToLower(string(n)), "-")
	mantissa, power, _ := strings.Cut(text, "e")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	first, _ := new(big.Int).SetString(cmp.Or(strings.TrimPrefix(power, "+"), "0"), base)
	digits := whole + fraction
	significant := strings.TrimLeft(digits, "0")
	d := decimal{sign: 1, digits: strings.TrimRight(significant, "0")}
	d.first = first.Add(first, big.NewInt(int64(len(whole)-(len(digits)-len(significant)))))
	switch {
	case d.digits == "":
		d.sign = 0
	case negative:
		d.sign = -1
	default:
	}
	return d
}

// base is that of the digits of JSON.
const base = 10
