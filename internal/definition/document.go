package definition

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/redline-svc/redline/internal/fault"
)

// value is one JSON value of the document and where it stands.
type value struct {
	raw  json.RawMessage
	at   int // byte offset in the document, which orders the issues
	path []string
}

// child is the path of something inside v.
func (v value) child(key string) []string { return append(slices.Clip(v.path), key) }

func (v value) isNull() bool { return string(v.raw) == "null" }

// kind is the first byte of the value, which shows its JSON type.
func (v value) kind() byte {
	if len(v.raw) == 0 {
		return 0
	}
	return v.raw[0]
}

// text gives the value if it is a string.
func (v value) text() (string, bool) {
	var s string
	if v.kind() != '"' || json.Unmarshal(v.raw, &s) != nil {
		return "", false
	}
	return s, true
}

// found is an issue and the position in the document that it is about.
type found struct {
	at    int
	issue fault.Issue
}

// cut is a part of the document that a snapshot has in other words.
type cut struct {
	old value
	new []byte
}

// parser collects issues, and what must not get into a snapshot, while the
// document is read.
type parser struct {
	found   []found
	rules   Options
	secrets map[string]string // by triggerId
	cuts    []cut
}

// report notes an issue about v.
func (p *parser) report(v value, code, message string) {
	p.found = append(p.found, found{v.at, fault.Issue{Code: code, Path: v.path, Message: message}})
}

// issues gives what was found in the order of the document, not too many.
func (p *parser) issues() []fault.Issue {
	slices.SortStableFunc(p.found, func(a, b found) int { return a.at - b.at })
	p.found = p.found[:min(len(p.found), fault.MaxIssues)]
	list := make([]fault.Issue, len(p.found))
	for i, f := range p.found {
		list[i] = f.issue
	}
	return list
}

// object is a JSON object read strictly.
type object struct {
	value
	p       *parser
	keys    []string // in the order of the document, those given as null too
	members map[string]value
	nulls   map[string]value // given as null, which counts as absent
}

// object reads v; every key outside known is an issue. It gives nil, and an
// issue, if v is no object.
func (p *parser) object(v value, known ...string) *object {
	o := p.open(v)
	if o == nil {
		return nil
	}
	for _, key := range o.keys {
		if !slices.Contains(known, key) {
			p.report(o.given(key), "unknown-key", "this key is not known here")
		}
	}
	return o
}

// open reads v as an object with any keys.
func (p *parser) open(v value) *object {
	if v.kind() != '{' {
		p.report(v, "type", "must be an object")
		return nil
	}
	o := &object{value: v, p: p, members: map[string]value{}, nulls: map[string]value{}}
	dec := inside(v)
	for dec.PeekKind() == '"' {
		key, _ := dec.ReadToken()
		name := key.String()
		member, ok := next(dec, v, name)
		if !ok {
			break // not JSON: the caller of Parse checked that before
		}
		o.add(name, member)
	}
	return o
}

// add keeps a member; the first of two with one name counts.
func (o *object) add(name string, member value) {
	switch {
	case slices.Contains(o.keys, name):
		o.p.report(member, "duplicate", "this key is given twice")
		return
	case member.isNull():
		o.nulls[name] = member
	default:
		o.members[name] = member
	}
	o.keys = append(o.keys, name)
}

// fault notes an issue about a key of the object, which may be absent.
func (o *object) fault(key, code, message string) {
	at := o.at
	if v := o.given(key); v.raw != nil {
		at = v.at
	}
	o.p.report(value{at: at, path: o.child(key)}, code, message)
}

// given is the member of that key, null or not.
func (o *object) given(key string) value {
	if v, there := o.members[key]; there {
		return v
	}
	return o.nulls[key]
}

// inside reads what is in v, an object or an array, from its first element on.
func inside(v value) *jsontext.Decoder {
	dec := jsontext.NewDecoder(bytes.NewBuffer(v.raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	_, _ = dec.ReadToken()
	return dec
}

// next reads the value that follows in dec, which reads inside v.
func next(dec *jsontext.Decoder, v value, name string) (value, bool) {
	raw, err := dec.ReadValue()
	if err != nil {
		return value{}, false
	}
	end := int(dec.InputOffset())
	start := end - len(raw)
	return value{raw: v.raw[start:end], at: v.at + start, path: v.child(name)}, true
}

// elements gives the elements of an array; nil and an issue if v is none.
func (p *parser) elements(v value) []value {
	if v.kind() != '[' {
		p.report(v, "type", "must be an array")
		return nil
	}
	list := []value{}
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

// without writes the object again without one key.
func (o *object) without(left string) []byte {
	out := []byte{'{'}
	for _, key := range o.keys {
		if key == left {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		name, _ := json.Marshal(key) // a string always has a notation
		out = append(append(append(out, name...), ':'), o.given(key).raw...)
	}
	return append(out, '}')
}

// replaced gives the text of v with the cuts inside it made.
func (v value) replaced(cuts []cut) json.RawMessage {
	var out []byte
	from := 0
	for _, c := range cuts {
		at := c.old.at - v.at
		out = append(append(out, v.raw[from:at]...), c.new...)
		from = at + len(c.old.raw)
	}
	return append(out, v.raw[from:]...)
}
