package rpc

import (
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/redline-svc/redline/internal/shape"
)

// open documents which of a request's structs take keys that are not theirs: in
// an operation that ignores them they are no fault.
func open(schemas huma.Registry, t reflect.Type, keys shape.Mode) {
	if keys == shape.Closed {
		return
	}
	known := map[reflect.Type]bool{}
	if keys != shape.Open {
		closedStructs(t, known)
	}
	eachStruct(t, map[reflect.Type]bool{}, func(t reflect.Type) {
		of := schemas.Schema(t, false, "")
		if !known[t] {
			of.AdditionalProperties = true
		}
		if field, is := t.FieldByName("Rest"); is && field.Type == reflect.TypeFor[shape.Rest]() {
			of.Extensions = map[string]any{ownKeysExtension: true}
		}
	})
}

// ownKeysExtension marks an object whose other keys are the caller's: they are kept and returned.
// Any other object that takes more keys than it names ignores them.
const ownKeysExtension = "x-own-keys"

// closedStructs adds to known the struct of which t is or holds values, and those in its
// fields that are tagged closed.
func closedStructs(t reflect.Type, known map[reflect.Type]bool) {
	for of, holds := elementOf(t); holds; of, holds = elementOf(t) {
		t = of
	}
	if t.Kind() != reflect.Struct || known[t] {
		return
	}
	known[t] = true
	for _, f := range reflect.VisibleFields(t) {
		if f.Tag.Get("closed") == "true" {
			closedStructs(f.Type, known)
		}
	}
}

// nullable returns the schema of a result in which every field that may be null
// says so. huma says it for pointers to scalars only. A result that is a pointer
// itself may be null as a whole.
func nullable(schemas huma.Registry, t reflect.Type) *huma.Schema {
	schema := schemas.Schema(t, true, "")
	eachStruct(t, map[reflect.Type]bool{}, func(t reflect.Type) {
		of := schemas.Schema(t, false, "")
		if of.AdditionalProperties == true {
			of.Extensions = map[string]any{ownKeysExtension: true}
		}
		for _, f := range reflect.VisibleFields(t) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if property := of.Properties[name]; property != nil && MayBeNull(f) {
				of.Properties[name] = withNull(property)
			}
		}
	})
	if t.Kind() == reflect.Pointer {
		return withNull(schema)
	}
	return schema
}

// MayBeNull reports whether by its type a field of an answer is null sometimes: a
// pointer or a JSON text that is not left out where there is none, unless its tag says notNull,
// and a pointer to what may be nil itself. Lists and maps are never null (see fillLists) unless
// their tag says nullable.
func MayBeNull(f reflect.StructField) bool {
	_, rest, _ := strings.Cut(f.Tag.Get("json"), ",")
	leftOut := strings.Contains(rest, "omit")
	switch {
	case f.Type.Kind() == reflect.Pointer:
		return !leftOut || isList(f.Type.Elem()) || isText(f.Type.Elem())
	case isText(f.Type):
		return !leftOut && f.Tag.Get("notNull") != "true"
	default:
		return isList(f.Type) && f.Tag.Get("nullable") == "true"
	}
}

// isText reports whether values of the type are texts of JSON, nil where there is none.
func isText(t reflect.Type) bool {
	return t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8
}

// isList reports whether values of the type are arrays or objects that may be nil.
func isList(t reflect.Type) bool {
	return (t.Kind() == reflect.Slice || t.Kind() == reflect.Map) && !isText(t)
}

// eitherNull is the schema of what may be null instead.
func eitherNull(of *huma.Schema) *huma.Schema {
	return &huma.Schema{Description: of.Description, Examples: of.Examples, AnyOf: []*huma.Schema{{Ref: of.Ref}, {Type: "null"}}}
}

// absentAsNull documents that a request's optional fields may be null, which
// counts as absent, and that those which have to select may not, nor be empty. It is called
// when all requests can be read: their rules come from the same schemas.
func absentAsNull(schemas huma.Registry, t reflect.Type, keys shape.Mode) {
	eachStruct(t, map[reflect.Type]bool{}, func(t reflect.Type) {
		of := schemas.Schema(t, false, "")
		for _, f := range reflect.VisibleFields(t) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			property := of.Properties[name]
			switch selects := keys == shape.Selecting && f.Tag.Get("selector") == "true"; {
			case property == nil || slices.Contains(of.Required, name) || f.Tag.Get("notNull") == "true":
			case selects && f.Type.Kind() == reflect.Slice:
				property.MinItems = new(1)
			case selects:
			default:
				of.Properties[name] = withNull(property)
			}
		}
	})
}

// withNull adds null to what a schema takes, if it does not take it already.
func withNull(schema *huma.Schema) *huma.Schema {
	isNull := func(of *huma.Schema) bool { return of.Type == "null" }
	switch {
	case schema.Ref != "", schema.Type == "" && len(schema.OneOf)+len(schema.AnyOf) == 0:
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

// elementOf is the type of what values of t hold, where they are a pointer, a list or
// say it themselves.
func elementOf(t reflect.Type) (of reflect.Type, holds bool) {
	own, says := reflect.TypeAssert[interface{ element() reflect.Type }](reflect.Zero(t))
	only, is := reflect.TypeAssert[interface{ Element() reflect.Type }](reflect.Zero(t))
	switch {
	case is && t.Kind() != reflect.Pointer:
		return only.Element(), true
	case t == reflect.TypeFor[shape.Object]():
		return nil, false
	case says && t.Kind() != reflect.Pointer:
		return own.element(), true
	case t.Kind() == reflect.Pointer, t.Kind() == reflect.Slice, t.Kind() == reflect.Map:
		return t.Elem(), true
	default:
		return nil, false
	}
}

// eachStruct visits every struct type that a value of t can hold.
func eachStruct(t reflect.Type, seen map[reflect.Type]bool, visit func(reflect.Type)) {
	for of, holds := elementOf(t); holds; of, holds = elementOf(t) {
		t = of
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
