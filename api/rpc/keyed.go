package rpc

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"

	"github.com/danielgtaylor/huma/v2"
)

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
