package rpc

import (
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// What a program that calls needs to know of an operation beside its shapes stands in two
// extensions of the document, made from the table and the shapes themselves.
const (
	// pagesExtension is how an operation pages; where it is missing, the operation answers at
	// once.
	pagesExtension = "x-pages"
	// repeatExtension is whether a call whose answer was lost may be made again.
	repeatExtension = "x-repeat"
)

// pages is how a list pages: the field of the request that goes on, and where the result has its
// items and what goes on, dotted. The last page has no such field, null, or, of an iterator, done.
type pages struct {
	Request string `json:"request"`
	Items   string `json:"items"`
	Next    string `json:"next"`
	Done    string `json:"done,omitempty"`
}

// repeats is whether the effect of a call stays one when it is made again. Ids are the fields of
// the request, dotted through its arrays, that must be sent for it.
type repeats struct {
	Safe bool     `json:"safe"`
	IDs  []string `json:"ids,omitempty"`
}

// pagings are the ways of paging there are, by the field of the request.
var pagings = []pages{
	{Request: "pageToken", Next: "nextPageToken"},
	{Request: "cursor", Next: "nextCursor"},
	{Request: "iterator", Next: "data.iterator", Done: "data.done"},
	{Request: "sinceSeq", Next: "nextCursor"},
}

// describeCalls adds both extensions.
func describeCalls(schemas huma.Registry, r *Route, o *huma.Operation) {
	o.Extensions = map[string]any{repeatExtension: repeats{Safe: !r.Once, IDs: r.OnceIDs}}
	request, result := schemas.SchemaFromRef(schemas.Schema(r.documented(), true, "").Ref), pageOf(schemas, schemas.Schema(r.response, true, ""))
	if request == nil || result == nil {
		return
	}
	for _, way := range pagings {
		way.Items = itemsOf(schemas, result)
		if request.Properties[way.Request] != nil && way.Items != "" && propertyAt(schemas, result, way.Next) != nil {
			o.Extensions[pagesExtension] = way
			return
		}
	}
}

// pageOf is the object that a result is, of one that is an object or something else its shape
// with a page.
func pageOf(schemas huma.Registry, result *huma.Schema) *huma.Schema {
	if result.Ref != "" {
		result = schemas.SchemaFromRef(result.Ref)
	}
	for _, other := range result.OneOf {
		if page := pageOf(schemas, other); page != nil {
			return page
		}
	}
	if len(result.Properties) == 0 {
		return nil
	}
	return result
}

// itemsOf is where a page has its items, dotted: its only list. It is nothing where there are
// several, which page side by side.
func itemsOf(schemas huma.Registry, of *huma.Schema) string {
	for _, name := range []string{"data", "items", "results", "events"} {
		property := resolved(schemas, of.Properties[name])
		switch {
		case property == nil:
		case isListSchema(property):
			return name
		case property.Type == huma.TypeObject:
			if lists := listsOf(property); len(lists) == 1 {
				return name + "." + lists[0]
			}
		}
	}
	return ""
}

func isListSchema(of *huma.Schema) bool {
	return of.Type == huma.TypeArray || slices.ContainsFunc(of.OneOf, isListSchema)
}

// listsOf are the names of an object's fields that are lists.
func listsOf(of *huma.Schema) []string {
	var lists []string
	for name, property := range of.Properties {
		if isListSchema(property) {
			lists = append(lists, name)
		}
	}
	return lists
}

func propertyAt(schemas huma.Registry, of *huma.Schema, path string) *huma.Schema {
	for name := range strings.SplitSeq(path, ".") {
		if of = resolved(schemas, of); of == nil {
			return nil
		}
		of = of.Properties[name]
	}
	return of
}

func resolved(schemas huma.Registry, of *huma.Schema) *huma.Schema {
	if of != nil && of.Ref != "" {
		return schemas.SchemaFromRef(of.Ref)
	}
	return of
}
