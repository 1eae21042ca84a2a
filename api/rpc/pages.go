package rpc

import (
	"bytes"
	"encoding/json"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/redline-svc/redline/internal/cursor"
)

// Pages is a list that is read page by page. A page's token is good for the same
// workspace, list and filters only.
type Pages struct {
	Codec *cursor.Codec
	// Field is the field of the request that brings a token back.
	Field       string
	WorkspaceID string
	// List names the list in its tokens.
	List string
	// Filters are what narrows the list, a value of plain fields; nil for
	// nothing.
	Filters any
	// Allowed refuses a list that is switched off; nil allows it. A token that is none is a
	// fault of the request whatever is switched off, so it is read before.
	Allowed func() error
}

// AsRead shows an item of a list as its store returns it.
func AsRead[T any](item T) T { return item }

// page is a page as a store reads it: its items, and where the next one begins, nil on the
// last one.
type page[T, P any] interface {
	Split() (items []T, next *P)
}

// List reads the page that a token leads to, the first one without a token, and shows its
// items. Next is the token of the page behind it, nil on the last one. Errors: INVALID_ARGUMENT
// as of Position, and what read returns.
func List[T, V, P any, Read page[T, P]](pages Pages, token string, view func(T) V, read func(after *P) (Read, error)) (shown []V, next *string, err error) {
	after, err := Position[P](pages, token)
	if err != nil {
		return nil, nil, err
	}
	if pages.Allowed != nil {
		if err := pages.Allowed(); err != nil {
			return nil, nil, err
		}
	}
	found, err := read(after)
	if err != nil {
		return nil, nil, err
	}
	items, at := found.Split()
	return Each(items, view), Token(pages, at), nil
}

// Found makes the result of what List returned.
func Found[T any](message string, data T, next *string, err error) (*Success[T], error) {
	if err != nil {
		return nil, err
	}
	result := Succeed(message, data)
	result.NextPageToken = TextOf(next)
	return result, nil
}

// Position reads a token: where the page begins, or nil without a token, when it
// is the first page. Errors: INVALID_ARGUMENT at the field for a token that does
// not belong to the list.
func Position[P any](pages Pages, token string) (*P, error) {
	if token == "" {
		return nil, nil //nolint:nilnil // no token is no position, and no error
	}
	at := new(P)
	if err := pages.Codec.DecodeField(pages.Field, pages.WorkspaceID, pages.List, pages.Filters, token, at); err != nil {
		return nil, err
	}
	return at, nil
}

// Token is the token of the page that begins at next; nil where there is none.
func Token[P any](pages Pages, next *P) *string {
	if next == nil {
		return nil
	}
	token := pages.Codec.Encode(pages.WorkspaceID, pages.List, pages.Filters, next)
	return &token
}

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
