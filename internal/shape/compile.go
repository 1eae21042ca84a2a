package shape

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// Shape is what Read needs to know of one Go type. It is safe for concurrent use.
type Shape struct{ root node }

// node reads one value of a compiled type. The reader stands before the value,
// which is not null, and behind it afterwards.
type node interface {
	read(r *reader, into reflect.Value)
}

// maxFields is how many fields a struct may have: those seen are bits of a word.
const maxFields = 64

// Compile prepares reading into values of type t, a struct. The schemas come
// from registry, where huma has put them. A type that cannot be read is a
// mistake in the program and panics at the start.
func Compile(registry huma.Registry, t reflect.Type) *Shape {
	c := compiler{registry: registry, done: map[reflect.Type]*structNode{}}
	return &Shape{root: c.structure(t, registry.Schema(t, false, t.Name()))}
}

type compiler struct {
	registry huma.Registry
	done     map[reflect.Type]*structNode
}

var (
	unmarshalerType = reflect.TypeFor[json.Unmarshaler]()
	onlyType        = reflect.TypeFor[interface{ Element() reflect.Type }]()
)

func (c *compiler) value(t reflect.Type, tag reflect.StructTag, schema *huma.Schema) node {
	for schema != nil && schema.Ref != "" {
		schema = c.registry.SchemaFromRef(schema.Ref)
	}
	if schema == nil {
		schema = &huma.Schema{}
	}
	if t.Kind() == reflect.Pointer {
		return &pointerNode{elem: c.value(t.Elem(), tag, schema), of: t.Elem()}
	}
	if t == reflect.TypeFor[json.RawMessage]() || t == reflect.TypeFor[Object]() {
		return &rawNode{object: t == reflect.TypeFor[Object](), maxBytes: number(tag, "maxBytes"), storable: tag.Get("storable") == "true"}
	}
	if t == reflect.TypeFor[Number]() {
		return &numberNode{minimum: schema.Minimum, maximum: schema.Maximum}
	}
	if t.Implements(onlyType) {
		of := t.Field(0).Type
		return &onlyNode{elem: c.value(of, tag, c.registry.Schema(of, true, ""))}
	}
	if reflect.PointerTo(t).Implements(unmarshalerType) {
		return customNode{}
	}
	return c.plain(t, tag, schema)
}

func (c *compiler) plain(t reflect.Type, tag reflect.StructTag, schema *huma.Schema) node {
	switch t.Kind() {
	case reflect.String:
		return newStringNode(schema, tag)
	case reflect.Bool:
		return boolNode{}
	case reflect.Int, reflect.Int32, reflect.Int64:
		return &intNode{minimum: schema.Minimum, maximum: schema.Maximum}
	case reflect.Float64:
		return &floatNode{minimum: schema.Minimum, maximum: schema.Maximum}
	case reflect.Struct:
		return c.structure(t, schema)
	case reflect.Slice:
		return &sliceNode{
			elem: c.value(t.Elem(), tag, schema.Items), unique: schema.UniqueItems,
			size: bounds{schema.MinItems, schema.MaxItems},
		}
	case reflect.Map:
		extra, _ := schema.AdditionalProperties.(*huma.Schema)
		return &mapNode{
			elem: c.value(t.Elem(), tag, extra), of: t,
			size: bounds{schema.MinProperties, schema.MaxProperties},
		}
	default:
		panic(fmt.Sprintf("shape: cannot read JSON into %s", t))
	}
}

func (c *compiler) structure(t reflect.Type, schema *huma.Schema) *structNode {
	if known, ok := c.done[t]; ok {
		return known
	}
	n := &structNode{fields: map[string]*field{}}
	c.done[t] = n
	c.addFields(n, t, schema, nil)
	if len(n.order) > maxFields {
		panic(fmt.Sprintf("shape: %s has more than %d fields", t, maxFields))
	}
	return n
}

func (c *compiler) addFields(n *structNode, t reflect.Type, schema *huma.Schema, index []int) {
	for i := range t.NumField() {
		f := t.Field(i)
		at := append(append([]int{}, index...), i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Type == reflect.TypeFor[Rest]():
			n.rest = at
		case f.Type == reflect.TypeFor[Nulls]():
			n.nulls = at
		case f.Anonymous && name == "":
			c.addFields(n, f.Type, schema, at)
		case !f.IsExported() || name == "-":
		case name == "":
			panic(fmt.Sprintf("shape: %s.%s has no json name", t, f.Name))
		case schema.Properties[name] == nil:
			panic(fmt.Sprintf("shape: the document does not show %s.%s", t, f.Name))
		default:
			added := &field{name: name, index: at, bit: 1 << len(n.order), required: slices.Contains(schema.Required, name)}
			added.notNull = f.Tag.Get("notNull") == "true"
			added.selector, added.closed = f.Tag.Get("selector") == "true", f.Tag.Get("closed") == "true"
			added.node = c.value(f.Type, f.Tag, schema.Properties[name])
			n.fields[name] = added
			n.order = append(n.order, added)
		}
	}
}

func newStringNode(schema *huma.Schema, tag reflect.StructTag) *stringNode {
	n := &stringNode{
		size:     bounds{schema.MinLength, schema.MaxLength},
		notBlank: tag.Get("notBlank") == "true",
		form:     formats[schema.Format],
		maxBytes: number(tag, "maxBytes"),
	}
	if schema.Pattern != "" {
		n.pattern = regexp.MustCompile(schema.Pattern)
	}
	for _, allowed := range schema.Enum {
		n.enum = append(n.enum, fmt.Sprint(allowed))
	}
	return n
}

// number reads a tag that is a count; absent is zero.
func number(tag reflect.StructTag, name string) int {
	text, ok := tag.Lookup(name)
	if !ok {
		return 0
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		panic(fmt.Sprintf("shape: the tag %s is no number", name))
	}
	return n
}
