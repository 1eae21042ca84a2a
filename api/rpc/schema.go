package rpc

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/redline-svc/redline/internal/shape"
)

// open documents whether a request's structs take keys that are not theirs: in
// an operation that ignores them they are no fault.
func open(schemas huma.Registry, t reflect.Type, ignoring bool) {
	eachStruct(t, map[reflect.Type]bool{}, func(t reflect.Type) {
		if ignoring {
			schemas.Schema(t, false, "").AdditionalProperties = true
		}
	})
}

// nullable gives the schema of a result in which every pointer and every raw
// text without omitempty may be null. huma says so for pointers to scalars only.
func nullable(schemas huma.Registry, t reflect.Type) *huma.Schema {
	schema := schemas.Schema(t, true, "")
	eachStruct(t, map[reflect.Type]bool{}, func(t reflect.Type) {
		of := schemas.Schema(t, false, "")
		for _, f := range reflect.VisibleFields(t) {
			name, rest, _ := strings.Cut(f.Tag.Get("json"), ",")
			property := of.Properties[name]
			if property == nil || strings.Contains(rest, "omit") {
				continue
			}
			pointer := f.Type.Kind() == reflect.Pointer && property.Ref != ""
			if !pointer && f.Type != reflect.TypeFor[json.RawMessage]() {
				continue
			}
			of.Properties[name] = eitherNull(property)
		}
	})
	return schema
}

// eitherNull is the schema of what may be null instead.
func eitherNull(of *huma.Schema) *huma.Schema {
	return &huma.Schema{Description: of.Description, AnyOf: []*huma.Schema{{Ref: of.Ref}, {Type: "null"}}}
}

// absentAsNull documents that a request's optional fields may be null, which
// counts as absent. It is called when all requests can be read: their rules come
// from the same schemas.
func absentAsNull(schemas huma.Registry, t reflect.Type) {
	eachStruct(t, map[reflect.Type]bool{}, func(t reflect.Type) {
		of := schemas.Schema(t, false, "")
		for _, f := range reflect.VisibleFields(t) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			property := of.Properties[name]
			if property == nil || slices.Contains(of.Required, name) || f.Tag.Get("notNull") == "true" {
				continue
			}
			of.Properties[name] = withNull(property)
		}
	})
}

// withNull adds null to what a schema takes, if it does not take it already.
func withNull(schema *huma.Schema) *huma.Schema {
	isNull := func(of *huma.Schema) bool { return of.Type == "null" }
	switch {
	case schema.Ref != "":
		return eitherNull(schema)
	case len(schema.OneOf) > 0 && !slices.ContainsFunc(schema.OneOf, isNull):
		schema.OneOf = append(schema.OneOf, &huma.Schema{Type: "null"})
	case schema.Type != "":
		schema.Nullable = true
	}
	if len(schema.Enum) > 0 && !slices.Contains(schema.Enum, nil) {
		schema.Enum = append(schema.Enum, nil)
	}
	return schema
}

// eachStruct visits every struct type that a value of t can hold.
func eachStruct(t reflect.Type, seen map[reflect.Type]bool, visit func(reflect.Type)) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
		if t == reflect.TypeFor[shape.Object]() {
			return
		}
		if own, ok := reflect.TypeAssert[interface{ element() reflect.Type }](reflect.Zero(t)); ok {
			t = own.element()
			continue
		}
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || seen[t] || t.Implements(reflect.TypeFor[huma.SchemaProvider]()) {
		return
	}
	seen[t] = true
	visit(t)
	for _, f := range reflect.VisibleFields(t) {
		if f.IsExported() {
			eachStruct(f.Type, seen, visit)
		}
	}
}
