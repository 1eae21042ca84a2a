package strict

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/redline-svc/redline/internal/fault"
)

// Value is one JSON value of the document and where it stands.
type Value struct {
	Raw json.RawMessage
	// At is the byte offset in the document, which orders the issues.
	At   int
	path []string
}

// Child is the path of something inside v.
func (v Value) Child(key string) []string { return append(slices.Clip(v.path), key) }

func (v Value) isNull() bool { return string(v.Raw) == "null" }

// Kind is the first byte of the value, which shows its JSON type.
func (v Value) Kind() byte {
	if len(v.Raw) == 0 {
		return 0
	}
	return v.Raw[0]
}

// Text gives the value if it is a string.
func (v Value) Text() (string, bool) {
	var s string
	if v.Kind() != '"' || json.Unmarshal(v.Raw, &s) != nil {
		return "", false
	}
	return s, true
}

// found is an issue and the position in the document that it is about.
type found struct {
	at    int
	issue fault.Issue
}

// Cut is a part of the document that a copy of it has in other words.
type Cut struct {
	Old Value
	New []byte
}

// Reader collects issues while a document is read; its zero value is ready.
type Reader struct {
	found []found
}

// Faults is how many issues there are so far.
func (r *Reader) Faults() int { return len(r.found) }

// Report notes an issue about v.
func (r *Reader) Report(v Value, code, message string) {
	r.found = append(r.found, found{v.At, fault.Issue{Code: code, Path: v.path, Message: message}})
}

// Issues gives what was found in the order of the document, not too many.
func (r *Reader) Issues() []fault.Issue {
	slices.SortStableFunc(r.found, func(a, b found) int { return a.at - b.at })
	r.found = r.found[:min(len(r.found), fault.MaxIssues)]
	list := make([]fault.Issue, len(r.found))
	for i, f := range r.found {
		list[i] = f.issue
	}
	return list
}

// Object is a JSON object read strictly.
type Object struct {
	Value
	Keys    []string // in the order of the document, those given as null too
	Members map[string]Value
	Nulls   map[string]Value // given as null, which counts as absent

	r *Reader
}

// Object reads v; every key outside known is an issue. It gives nil, and an
// issue, if v is no object.
func (r *Reader) Object(v Value, known ...string) *Object {
	o := r.Open(v)
	if o == nil {
		return nil
	}
	for _, key := range o.Keys {
		if !slices.Contains(known, key) {
			r.Report(o.Given(key), "unknown-key", "this key is not known here")
		}
	}
	return o
}

// Open reads v as an object with any keys.
func (r *Reader) Open(v Value) *Object {
	if v.Kind() != '{' {
		r.Report(v, "type", "must be an object")
		return nil
	}
	o := &Object{Value: v, r: r, Members: map[string]Value{}, Nulls: map[string]Value{}}
	dec := inside(v)
	for dec.PeekKind() == '"' {
		key, _ := dec.ReadToken()
		name := key.String()
		member, ok := next(dec, v, name)
		if !ok {
			break // not JSON: whoever reads a document checks that before
		}
		o.add(name, member)
	}
	return o
}

// add keeps a member; the first of two with one name counts.
func (o *Object) add(name string, member Value) {
	switch {
	case slices.Contains(o.Keys, name):
		o.r.Report(member, "duplicate", "this key is given twice")
		return
	case member.isNull():
		o.Nulls[name] = member
	default:
		o.Members[name] = member
	}
	o.Keys = append(o.Keys, name)
}

// Fault notes an issue about a key of the object, which may be absent.
func (o *Object) Fault(key, code, message string) {
	at := o.At
	if v := o.Given(key); v.Raw != nil {
		at = v.At
	}
	o.r.Report(Value{At: at, path: o.Child(key)}, code, message)
}

// Given is the member of that key, null or not.
func (o *Object) Given(key string) Value {
	if v, there := o.Members[key]; there {
		return v
	}
	return o.Nulls[key]
}

// inside reads what is in v, an object or an array, from its first element on.
func inside(v Value) *jsontext.Decoder {
	dec := jsontext.NewDecoder(bytes.NewBuffer(v.Raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	_, _ = dec.ReadToken()
	return dec
}

// next reads the value that follows in dec, which reads inside v.
func next(dec *jsontext.Decoder, v Value, name string) (Value, bool) {
	raw, err := dec.ReadValue()
	if err != nil {
		return Value{}, false
	}
	end := int(dec.InputOffset())
	start := end - len(raw)
	return Value{Raw: v.Raw[start:end], At: v.At + start, path: v.Child(name)}, true
}

// Elements gives the elements of an array; nil and an issue if v is none.
func (r *Reader) Elements(v Value) []Value {
	if v.Kind() != '[' {
		r.Report(v, "type", "must be an array")
		return nil
	}
	list := []Value{}
	dec := inside(v)
	for dec.PeekKind() != ']' {
		element, ok := next(dec, v, strconv.Itoa(len(list)))
		if !ok {
			break
		}
		list = append(list, element)
	}
	return list
}

// Without writes the object again without one key.
func (o *Object) Without(left string) []byte {
	out := []byte{'{'}
	for _, key := range o.Keys {
		if key == left {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		name, _ := json.Marshal(key) // a string always has a notation
		out = append(append(append(out, name...), ':'), o.Given(key).Raw...)
	}
	return append(out, '}')
}

// Replaced gives the text of v with the cuts inside it made.
func (v Value) Replaced(cuts []Cut) json.RawMessage {
	var out []byte
	from := 0
	for _, c := range cuts {
		at := c.Old.At - v.At
		out = append(append(out, v.Raw[from:at]...), c.New...)
		from = at + len(c.Old.Raw)
	}
	return append(out, v.Raw[from:]...)
}
