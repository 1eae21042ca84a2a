package shape

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"

	"github.com/redline-svc/redline/internal/fault"
)

// The codes of single faults.
const (
	Required   = "required"
	Type       = "type"
	Enum       = "enum"
	Pattern    = "pattern"
	Format     = "format"
	Length     = "length"
	Range      = "range"
	Count      = "count"
	Duplicate  = "duplicate"
	UnknownKey = "unknown-key"
	Conflict   = "conflict"
)

// Report is what Read found. Ignored are the paths of the keys that a caller
// sent and nobody reads; always empty when reading strictly.
type Report struct {
	Issues  []fault.Issue
	Ignored [][]string
}

// maxIgnored bounds the memory that a request full of unknown keys can cost.
const maxIgnored = 100

// Mode is which keys of an object have to be known, and whether its selectors have to
// select.
type Mode int

const (
	// Open passes over unknown keys and reports them as ignored.
	Open Mode = iota
	// Listing makes an unknown key of the object a fault, and one in what a field tagged
	// `closed:"true"` holds: ignored it would widen what is meant.
	Listing
	// Selecting is Listing, and null or an empty list in a field tagged `selector:"true"`
	// is a fault too, not an absence.
	Selecting
	// Closed makes an unknown key a fault at any depth.
	Closed
)

// Read decodes raw, one JSON object that Check has accepted, into the struct
// that into points to. Where a value is at fault its field keeps the zero value.
func (s *Shape) Read(raw []byte, into any, mode Mode) Report {
	r := reader{scanner: scanner{buf: raw}, mode: mode, closed: mode != Open}
	s.root.read(&r, reflect.ValueOf(into).Elem())
	return r.Report
}

type reader struct {
	scanner
	Report
	path []string
	mode Mode
	// closed: an unknown key at the present path is a fault.
	closed bool
}

// fault notes a fault of the value at the present path.
func (r *reader) fault(code, message string) {
	if len(r.Issues) < fault.MaxIssues {
		r.Issues = append(r.Issues, fault.Issue{Code: code, Path: r.at(), Message: message})
	}
}

// at copies the present path; never nil, as an answer shows it as an array.
func (r *reader) at(more ...string) []string {
	return slices.Concat([]string{}, r.path, more)
}

func (r *reader) push(name string) { r.path = append(r.path, name) }
func (r *reader) pop()             { r.path = r.path[:len(r.path)-1] }

// unknown notes a key that no field reads, and passes over its value. What
// cannot be stored is refused there, too.
func (r *reader) unknown(name string, storable bool) {
	value := r.skip()
	switch {
	case r.closed:
		r.faultOf(name, UnknownKey, "is not known here")
	case !storable || !Storable(value):
		r.faultOf(name, Format, unstorableText)
	case len(r.Ignored) < maxIgnored:
		r.Ignored = append(r.Ignored, r.at(name))
	}
}

// faultOf notes a fault of a member of the value at the present path.
func (r *reader) faultOf(name, code, message string) {
	r.push(name)
	r.fault(code, message)
	r.pop()
}

// mismatch notes that the next value is not of the kind wanted, and passes over it.
func (r *reader) mismatch(want string) {
	r.skip()
	r.fault(Type, "must be "+want)
}

// field is one field of a struct.
type field struct {
	name     string
	index    []int
	bit      uint64
	required bool
	// notNull: null is a fault, not an absence. selector: so is an empty list, where
	// selectors have to select. closed: the keys in it are known where those around it are.
	notNull, selector, closed bool
	node                      node
}

type structNode struct {
	fields map[string]*field
	order  []*field
	// rest is the index of the field that takes what no other field does, nulls
	// of the one that takes the names of those that came as null.
	rest, nulls []int
}

func (n *structNode) read(r *reader, into reflect.Value) {
	if r.peek() != '{' {
		r.mismatch("an object")
		return
	}
	start := r.pos
	r.pos++
	var seen, present uint64
	var rest Rest
	for first := true; r.more(first); first = false {
		r.peek()
		name, storable := r.checkedKey()
		f, ok := n.fields[string(name)]
		switch {
		case !ok && n.rest != nil:
			rest.take(r, string(name), storable)
			continue
		case !ok:
			r.unknown(string(name), storable)
			continue
		case seen&f.bit != 0:
			r.twice(f)
			continue
		}
		seen |= f.bit
		if f.read(r, into) {
			present |= f.bit
		} else {
			rest.Nulls = append(rest.Nulls, f.name)
		}
	}
	n.missing(r, present)
	if n.nulls != nil {
		into.FieldByIndex(n.nulls).Set(reflect.ValueOf(rest.Nulls))
	}
	if n.rest != nil {
		rest.Text = bytes.Clone(r.buf[start:r.pos])
		rest.Size = CompactSize(rest.Text)
		into.FieldByIndex(n.rest).Set(reflect.ValueOf(rest))
	}
}

// missing notes the required fields that did not come; null counts as absent.
func (n *structNode) missing(r *reader, present uint64) {
	for _, f := range n.order {
		if f.required && present&f.bit == 0 {
			r.faultOf(f.name, Required, "is required")
		}
	}
}

// read reports whether there is a value: null means that there is none.
func (f *field) read(r *reader, into reflect.Value) bool {
	mustSelect := f.selector && r.mode == Selecting
	if r.peek() == 'n' {
		r.skip()
		switch {
		case mustSelect:
			r.faultOf(f.name, Count, noSelection)
		case f.notNull:
			r.faultOf(f.name, Type, "must not be null")
		default:
		}
		return mustSelect
	}
	around := r.closed
	r.closed = r.mode == Closed || around && f.closed
	r.push(f.name)
	value := into.FieldByIndex(f.index)
	f.node.read(r, value)
	if mustSelect && value.Kind() == reflect.Slice && !value.IsNil() && value.Len() == 0 {
		r.fault(Count, noSelection)
	}
	r.pop()
	r.closed = around
	return true
}

// noSelection refuses a selector that selects nothing: taken as absent it would select
// everything.
const noSelection = "must select something, or be left out"

// twice notes a second value for one name: which of both was meant nobody knows.
func (r *reader) twice(f *field) {
	r.skip()
	r.faultOf(f.name, Duplicate, "is given twice")
}

// pointerNode reads an optional value that must differ from its zero value.
type pointerNode struct {
	elem node
	of   reflect.Type
}

func (n *pointerNode) read(r *reader, into reflect.Value) {
	value := reflect.New(n.of)
	n.elem.read(r, value.Elem())
	into.Set(value)
}

// customNode leaves the reading to the type's own UnmarshalJSON, whose error
// text is shown to the caller.
type customNode struct{}

func (customNode) read(r *reader, into reflect.Value) {
	raw := r.skip()
	if !Storable(raw) {
		r.fault(Format, unstorableText)
		return
	}
	target, _ := reflect.TypeAssert[json.Unmarshaler](into.Addr())
	if err := target.UnmarshalJSON(raw); err != nil {
		r.fault(Type, err.Error())
	}
}
