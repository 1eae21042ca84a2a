package predicate

import (
	"bytes"
	"encoding/json"
)

// Value is a decoded JSON value, its numbers as they were written. The zero value is
// null, and so is what is not there.
type Value struct{ decoded any }

// Decode reads a JSON text; an empty or damaged one is null.
func Decode(text json.RawMessage) Value {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var value any
	if dec.Decode(&value) != nil {
		return Value{}
	}
	return Value{withNumbers(value)}
}

// Equal compares as the operator eq does: deeply, numbers as exact decimals.
func (v Value) Equal(other Value) bool { return equal(v.decoded, other.decoded) }

// OneOf reports whether the value equals one of a list's elements, or, where allowed is
// no list, that value.
func (v Value) OneOf(allowed Value) bool {
	if _, list := allowed.decoded.([]any); list {
		return contains(allowed.decoded, v.decoded)
	}
	return v.Equal(allowed)
}

// Text returns a string as it is and a number as it was written; anything else has
// none.
func (v Value) Text() (string, bool) {
	switch is := v.decoded.(type) {
	case string:
		return is, true
	case *number:
		return is.text, true
	default:
		return "", false
	}
}
