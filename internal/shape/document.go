package shape

import (
	"encoding/json"
	"slices"
	"strconv"

	"github.com/redline-svc/redline/internal/fault"
)

// Part is one JSON value of a document, as it was written, and where it stands.
type Part struct {
	Raw json.RawMessage
	// At is the byte offset in the document, which orders the issues.
	At   int
	path []string
}

// Child is the path of something inside v.
func (v Part) Child(key string) []string { return append(slices.Clip(v.path), key) }

func (v Part) isNull() bool { return string(v.Raw) == "null" }

// Kind is the first byte of the value, which shows its JSON type.
func (v Part) Kind() byte {
	if len(v.Raw) == 0 {
		return 0
	}
	return v.Raw[0]
}

// Text returns the value if it is a string.
func (v Part) Text() (string, bool) {
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
	Old Part
	New []byte
}

// Document collects what is wrong with a JSON text while it is read part by part; its zero
// value is ready. What a part must be is said by who reads it.
type Document struct {
	found []found
}

// Faults is how many issues there are so far.
func (r *Document) Faults() int { return len(r.found) }

// Report notes an issue about v.
func (r *Document) Report(v Part, code, message string) {
	r.found = append(r.found, found{v.At, fault.Issue{Code: code, Path: v.path, Message: message}})
}

// Issues returns what was found in the order of the document, not too many.
func (r *Document) Issues() []fault.Issue {
	slices.SortStableFunc(r.found, func(a, b found) int { return a.at - b.at })
	r.found = r.found[:min(len(r.found), fault.MaxIssues)]
	list := make([]fault.Issue, len(r.found))
	for i, f := range r.found {
		list[i] = f.issue
	}
	return list
}

// Fields is an object of a document with its members one by one. One given as null counts
// as absent, and of a key given twice the first one counts.
type Fields struct {
	Part
	Keys    []string // in the order of the document, those given as null too
	Members map[string]Part
	Nulls   map[string]Part

	r *Document
}

// Object reads v; every key outside known is an issue. It returns nil, and notes an
// issue, if v is no object.
func (r *Document) Object(v Part, known ...string) *Fields {
	o := r.Open(v)
	if o == nil {
		return nil
	}
	for _, key := range o.Keys {
		if !slices.Contains(known, key) {
			r.Report(o.Given(key), UnknownKey, "this key is not known here")
		}
	}
	return o
}

// Open reads v as an object with any keys.
func (r *Document) Open(v Part) *Fields {
	if v.Kind() != '{' {
		r.Report(v, Type, "must be an object")
		return nil
	}
	o := &Fields{Part: v, r: r, Members: map[string]Part{}, Nulls: map[string]Part{}}
	s := scanner{buf: v.Raw, pos: 1}
	for first := true; s.more(first); first = false {
		name := string(s.key())
		o.add(name, v.next(&s, name))
	}
	return o
}

// add keeps a member; the first of two with one name counts.
func (o *Fields) add(name string, member Part) {
	switch {
	case slices.Contains(o.Keys, name):
		o.r.Report(member, Duplicate, "this key is given twice")
		return
	case member.isNull():
		o.Nulls[name] = member
	default:
		o.Members[name] = member
	}
	o.Keys = append(o.Keys, name)
}

// Fault notes an issue about a key of the object, which may be absent.
func (o *Fields) Fault(key, code, message string) {
	at := o.At
	if v := o.Given(key); v.Raw != nil {
		at = v.At
	}
	o.r.Report(Part{At: at, path: o.Child(key)}, code, message)
}

// Given is the member of that key, null or not.
func (o *Fields) Given(key string) Part {
	if v, there := o.Members[key]; there {
		return v
	}
	return o.Nulls[key]
}

// next reads the value that follows in v.
func (v Part) next(s *scanner, name string) Part {
	raw := s.skip()
	return Part{Raw: raw, At: v.At + s.pos - len(raw), path: v.Child(name)}
}

// Elements returns the elements of an array; nil, and an issue, if v is none.
func (r *Document) Elements(v Part) []Part {
	if v.Kind() != '[' {
		r.Report(v, Type, "must be an array")
		return nil
	}
	list := []Part{}
	s := scanner{buf: v.Raw, pos: 1}
	for first := true; s.more(first); first = false {
		list = append(list, v.next(&s, strconv.Itoa(len(list))))
	}
	return list
}

// Without writes the object again without one key.
func (o *Fields) Without(left string) []byte {
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

// Replaced returns the text of v with the cuts inside it made.
func (v Part) Replaced(cuts []Cut) json.RawMessage {
	var out []byte
	from := 0
	for _, c := range cuts {
		at := c.Old.At - v.At
		out = append(append(out, v.Raw[from:at]...), c.New...)
		from = at + len(c.Old.Raw)
	}
	return append(out, v.Raw[from:]...)
}
