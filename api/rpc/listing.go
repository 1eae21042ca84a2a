package rpc

import (
	"bytes"
	"encoding/json"
	"reflect"

	"github.com/danielgtaylor/huma/v2"
)

// Listing is written as an array of its items, or, where a page was asked for, as an
// object with the items and the token of the next page.
type Listing[T any] struct {
	Items []T
	// Paged makes it a page, Next is its token; nil on the last one.
	Paged bool
	Next  *string
}

// listingPage is the form of a page.
type listingPage[T any] struct {
	Items      []T     `json:"items"`
	NextCursor *string `json:"nextCursor"`
	HasMore    bool    `json:"hasMore"`
}

// MarshalJSON writes the one form or the other.
func (l Listing[T]) MarshalJSON() ([]byte, error) {
	var written any = l.Items
	if l.Paged {
		written = listingPage[T]{l.Items, l.Next, l.Next != nil}
	}
	text := &bytes.Buffer{}
	err := encode(text, written)
	return text.Bytes(), err
}

// UnmarshalJSON reads both forms.
func (l *Listing[T]) UnmarshalJSON(text []byte) error {
	if bytes.HasPrefix(text, []byte("[")) {
		return json.Unmarshal(text, &l.Items)
	}
	var page listingPage[T]
	err := json.Unmarshal(text, &page)
	*l = Listing[T]{Items: page.Items, Paged: true, Next: page.NextCursor}
	return err
}

// Schema documents both forms.
func (Listing[T]) Schema(registry huma.Registry) *huma.Schema {
	items := &huma.Schema{Type: huma.TypeArray, Items: registry.Schema(reflect.TypeFor[T](), true, "")}
	return &huma.Schema{OneOf: []*huma.Schema{items, {
		Type: huma.TypeObject, Required: []string{"items", "nextCursor", "hasMore"},
		Properties: map[string]*huma.Schema{
			"items": items, "nextCursor": {Type: huma.TypeString, Nullable: true}, "hasMore": {Type: huma.TypeBoolean},
		},
	}}}
}

// element is the type of the items.
func (Listing[T]) element() reflect.Type { return reflect.TypeFor[T]() }
