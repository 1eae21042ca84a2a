package shape

import (
	"bytes"
	"encoding/json"
	"slices"
)

// Rest is a field of a struct that takes what its other fields do not: the
// caller's own keys, and which of the known keys came as null. It has the tag
// `json:"-"`.
type Rest struct {
	// Members are the other keys in the order of the text. A key given twice
	// has its last value.
	Members []Pair
	Nulls
	// Text is the whole object as it was sent.
	Text json.RawMessage
	// Size is that of the whole object as compact JSON, in bytes.
	Size int
}

// Nulls is a field of a struct that takes the names of the known keys that were
// sent as null, for operations in which null clears. It has the tag `json:"-"`.
type Nulls []string

// Null reports whether a known key was sent as null.
func (n Nulls) Null(name string) bool { return slices.Contains(n, name) }

// Pair is one key of an object and its value as it was sent.
type Pair struct {
	Name  string
	Value json.RawMessage
}

// IsNull reports whether the member's value is null.
func (m Pair) IsNull() bool { return string(m.Value) == "null" }

const unstorableText = "has a NUL or half a surrogate pair"

// take reads the value of a key that no field has.
func (r *Rest) take(from *reader, name string, storable bool) {
	value := json.RawMessage(bytes.Clone(from.skip()))
	if !storable || !Storable(value) {
		from.faultOf(name, Format, unstorableText)
		return
	}
	for i := range r.Members {
		if r.Members[i].Name == name {
			r.Members[i].Value = value
			return
		}
	}
	r.Members = append(r.Members, Pair{name, value})
}

// AppendMembers writes members behind the last one of an object's text, which
// ends in a brace. Names that the object may have already must not be among them.
func AppendMembers(object []byte, members []Pair) []byte {
	object = bytes.Clone(object)
	for _, m := range members {
		name, _ := json.Marshal(m.Name) // a text is always written
		object = object[:len(object)-1]
		if object[len(object)-1] != '{' {
			object = append(object, ',')
		}
		object = append(append(append(append(object, name...), ':'), m.Value...), '}')
	}
	return object
}

// MembersOf returns the members of an object's text in their order; nil for any
// other text.
func MembersOf(object []byte) []Pair {
	s := scanner{buf: object}
	if len(object) == 0 || s.peek() != '{' {
		return nil
	}
	s.pos++
	var members []Pair
	for first := true; s.more(first); first = false {
		s.peek()
		name := string(s.key())
		members = append(members, Pair{name, bytes.Clone(s.skip())})
	}
	return members
}

// CompactSize is how many bytes the value has without white space between its parts, which
// is not the caller's data.
func CompactSize(value []byte) int {
	size, inString := 0, false
	for i := 0; i < len(value); i++ {
		c := value[i]
		switch {
		case inString && c == '\\':
			i, size = i+1, size+1
		case c == '"':
			inString = !inString
		case !inString && (c == ' ' || c == '\t' || c == '\n' || c == '\r'):
			continue
		}
		size++
	}
	return size
}

// Storable reports whether no text in the value has a NUL or half a surrogate pair,
// which Postgres cannot store.
func Storable(value []byte) bool {
	s := scanner{buf: value}
	for s.pos < len(value) {
		if value[s.pos] != '"' {
			s.pos++
			continue
		}
		start := s.pos
		s.skipString()
		if literal := value[start:s.pos]; bytes.IndexByte(literal, '\\') >= 0 && unstorable(literal, unquote(literal)) {
			return false
		}
	}
	return true
}
