package rpc

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"

	"github.com/danielgtaylor/huma/v2"
)

// Success is the result of the operations that answer with a status, a sentence
// and data, those of /v2/workspace/ among them. The operations of /v2/workflow/
// answer with their data alone.
type Success[T any] struct {
	Status  string `json:"status" enum:"success"`
	Message string `json:"message" doc:"a short sentence, not part of the contract"`
	Data    T      `json:"data"`
	// NextPageToken leads to the next page; absent on the last one.
	NextPageToken string `json:"nextPageToken,omitempty"`
}

// Succeed makes the result of an operation that did what was asked.
func Succeed[T any](message string, data T) *Success[T] {
	return &Success[T]{Status: "success", Message: message, Data: data}
}

// NoData is the data of operations that answer with none: null.
type NoData struct{}

// Keyed is written as an object whose names are callers' ids, in the order of
// the request, which a map would not promise.
type Keyed[T any] []KeyedEntry[T]

// KeyedEntry is one name of the object and its value.
type KeyedEntry[T any] struct {
	Key   string
	Value T
}

// MarshalJSON writes the object.
func (k Keyed[T]) MarshalJSON() ([]byte, error) {
	text := bytes.NewBufferString("{")
	for i, entry := range k {
		if i > 0 {
			text.WriteByte(',')
		}
		if err := encode(text, entry.Key); err != nil {
			return nil, err
		}
		text.WriteByte(':')
		if err := encode(text, entry.Value); err != nil {
			return nil, err
		}
	}
	text.WriteByte('}')
	return text.Bytes(), nil
}

// UnmarshalJSON reads the object in the order of the text.
func (k *Keyed[T]) UnmarshalJSON(text []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	if begin, err := decoder.Token(); err != nil || begin != json.Delim('{') {
		return errors.Join(errors.New("must be an object"), err)
	}
	*k = Keyed[T]{}
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return err
		}
		var entry KeyedEntry[T]
		entry.Key, _ = name.(string)
		if err := decoder.Decode(&entry.Value); err != nil {
			return err
		}
		*k = append(*k, entry)
	}
	return nil
}

// Schema documents the object.
func (Keyed[T]) Schema(registry huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, AdditionalProperties: registry.Schema(reflect.TypeFor[T](), true, "")}
}

// element is the type that the object's values have.
func (Keyed[T]) element() reflect.Type { return reflect.TypeFor[T]() }

// Slots is an array with one entry for each thing asked for; null where there is
// none.
type Slots[T any] []*T

// Schema documents the array.
func (Slots[T]) Schema(registry huma.Registry) *huma.Schema {
	item := registry.Schema(reflect.TypeFor[T](), true, "")
	return &huma.Schema{Type: huma.TypeArray, Items: &huma.Schema{AnyOf: []*huma.Schema{item, {Type: "null"}}}}
}

// Grouped is written as an array, or where its items are grouped as an object of arrays by
// the callers' ids of what they are in. A slot of the array is null where there is none.
type Grouped[T any] struct {
	Items Slots[T]
	// Groups is nil where the items are not grouped.
	Groups Keyed[[]*T]
}

// GroupBy groups items by a key, in the order of the first of each. An empty slot is in no
// group.
func GroupBy[T any](items Slots[T], key func(*T) string) Grouped[T] {
	groups, positions := Keyed[[]*T]{}, map[string]int{}
	for _, item := range items {
		if item == nil {
			continue
		}
		at, known := positions[key(item)]
		if !known {
			at = len(groups)
			positions[key(item)], groups = at, append(groups, KeyedEntry[[]*T]{Key: key(item)})
		}
		groups[at].Value = append(groups[at].Value, item)
	}
	return Grouped[T]{Groups: groups}
}

// MarshalJSON writes the array or the object.
func (g Grouped[T]) MarshalJSON() ([]byte, error) {
	if g.Groups != nil {
		return g.Groups.MarshalJSON()
	}
	text := &bytes.Buffer{}
	err := encode(text, g.Items)
	return text.Bytes(), err
}

// UnmarshalJSON reads both.
func (g *Grouped[T]) UnmarshalJSON(text []byte) error {
	if bytes.HasPrefix(text, []byte("[")) {
		return json.Unmarshal(text, &g.Items)
	}
	return json.Unmarshal(text, &g.Groups)
}

// Schema documents both.
func (Grouped[T]) Schema(registry huma.Registry) *huma.Schema {
	item := registry.Schema(reflect.TypeFor[T](), true, "")
	return &huma.Schema{OneOf: []*huma.Schema{
		Slots[T]{}.Schema(registry),
		{Type: huma.TypeObject, AdditionalProperties: &huma.Schema{Type: huma.TypeArray, Items: item}},
	}}
}

// element is the type of the items.
func (Grouped[T]) element() reflect.Type { return reflect.TypeFor[T]() }

// TextOf is an optional text; empty when absent.
func TextOf(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// Each turns the items of a list into what is shown of them. The result is never
// nil, so that an empty list is [].
func Each[T, V any](items []T, view func(T) V) []V {
	views := make([]V, len(items))
	for i, item := range items {
		views[i] = view(item)
	}
	return views
}
