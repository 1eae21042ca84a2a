package shape

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"

	"github.com/danielgtaylor/huma/v2"
)

// sliceNode reads an array. Its items' rules are those of the field's tags.
type sliceNode struct {
	elem   node
	unique bool
	size   bounds
}

func (n *sliceNode) read(r *reader, into reflect.Value) {
	if r.peek() != '[' {
		r.mismatch("an array")
		return
	}
	r.pos++
	count := 0
	items := reflect.MakeSlice(into.Type(), 0, 0)
	seen := map[any]bool{}
	for first := true; r.more(first); first = false {
		if count++; n.size.max != nil && count > *n.size.max {
			r.skip() // the count is wrong already; what is beyond costs nothing more
			continue
		}
		r.push(strconv.Itoa(count - 1))
		items = reflect.Append(items, n.item(r, into.Type().Elem(), seen))
		r.pop()
	}
	if n.size.check(r, count, Count, "items") {
		into.Set(items)
	}
}

// item reads one element, which is never null.
func (n *sliceNode) item(r *reader, of reflect.Type, seen map[any]bool) reflect.Value {
	value := reflect.New(of).Elem()
	if r.peek() == 'n' {
		r.skip()
		r.fault(Type, "must not be null")
		return value
	}
	before := len(r.Issues)
	n.elem.read(r, value)
	if n.unique && len(r.Issues) == before {
		if seen[value.Interface()] {
			r.fault(Duplicate, "is there twice")
		}
		seen[value.Interface()] = true
	}
	return value
}

// Only is a value that may also come as the only item of an array.
type Only[T any] struct{ Value T }

// Element is the type of the value.
func (Only[T]) Element() reflect.Type { return reflect.TypeFor[T]() }

// Schema documents both forms.
func (Only[T]) Schema(registry huma.Registry) *huma.Schema {
	value, one := registry.Schema(reflect.TypeFor[T](), true, ""), 1
	return &huma.Schema{OneOf: []*huma.Schema{value, {Type: huma.TypeArray, Items: value, MinItems: &one, MaxItems: &one}}}
}

// onlyNode reads an Only.
type onlyNode struct{ elem node }

func (n *onlyNode) read(r *reader, into reflect.Value) {
	if into = into.Field(0); r.peek() != '[' {
		n.elem.read(r, into)
		return
	}
	one := 1
	items := reflect.New(reflect.SliceOf(into.Type())).Elem()
	list := sliceNode{elem: n.elem, size: bounds{&one, &one}}
	if list.read(r, items); items.Len() == one {
		into.Set(items.Index(0))
	}
}

// mapNode reads an object whose keys are the caller's.
type mapNode struct {
	elem node
	of   reflect.Type
	size bounds
}

func (n *mapNode) read(r *reader, into reflect.Value) {
	if r.peek() != '{' {
		r.mismatch("an object")
		return
	}
	r.pos++
	entries := reflect.MakeMap(n.of)
	for first := true; r.more(first); first = false {
		r.peek()
		key, storable := r.checkedKey()
		name := string(key)
		r.push(name)
		value := reflect.New(n.of.Elem()).Elem()
		switch {
		case !storable:
			r.skip()
			r.fault(Format, unstorableText)
		case r.peek() == 'n':
			r.skip()
			r.fault(Type, "must not be null")
		default:
			n.elem.read(r, value)
		}
		entries.SetMapIndex(reflect.ValueOf(name).Convert(n.of.Key()), value)
		r.pop()
	}
	if n.size.check(r, entries.Len(), Count, "entries") {
		into.Set(entries)
	}
}

// Object is a free-form JSON object kept as the text that the caller sent, so
// its numbers stay exact. Nil when absent.
type Object []byte

// MarshalJSON writes the object as it came; a nil one as null.
func (o Object) MarshalJSON() ([]byte, error) {
	if o == nil {
		return []byte("null"), nil
	}
	return o, nil
}

// UnmarshalJSON keeps a copy of an object's text; null is absent.
func (o *Object) UnmarshalJSON(text []byte) error {
	switch {
	case string(text) == "null":
		*o = nil
	case len(text) == 0 || text[0] != '{':
		return errors.New("must be an object")
	default:
		*o = bytes.Clone(text)
	}
	return nil
}

// Schema documents an open object.
func (Object) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}
}

// rawNode keeps a value as its text.
type rawNode struct {
	object   bool
	storable bool
	maxBytes int
}

func (n *rawNode) read(r *reader, into reflect.Value) {
	if n.object && r.peek() != '{' {
		r.mismatch("an object")
		return
	}
	raw := bytes.Clone(r.skip())
	if n.storable && !Storable(raw) {
		r.fault(Format, unstorableText)
		return
	}
	if n.maxBytes > 0 && len(raw) > n.maxBytes {
		// White space between the parts is not the caller's data.
		var compact bytes.Buffer
		_ = json.Compact(&compact, raw) // cannot fail: Check accepted it
		if raw = compact.Bytes(); len(raw) > n.maxBytes {
			r.fault(Length, fmt.Sprintf("must be at most %d bytes as JSON", n.maxBytes))
			return
		}
	}
	into.SetBytes(raw)
}
