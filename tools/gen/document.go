package main

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// document is what a client's methods are made from.
type document struct {
	Paths      map[string]map[string]documented `json:"paths"`
	Components struct {
		Schemas map[string]schema `json:"schemas"`
	} `json:"components"`
}

// documented is one operation.
type documented struct {
	OperationID string                `json:"operationId"`
	Summary     string                `json:"summary"`
	Security    []map[string][]string `json:"security"`
	RequestBody struct {
		Content map[string]struct {
			Schema schema `json:"schema"`
		} `json:"content"`
	} `json:"requestBody"`
	Responses map[string]struct {
		Content map[string]struct {
			Schema schema `json:"schema"`
		} `json:"content"`
	} `json:"responses"`
	Pages *struct {
		Request string `json:"request"`
		Items   string `json:"items"`
		Next    string `json:"next"`
		Done    string `json:"done"`
	} `json:"x-pages"`
	Repeat *struct {
		Safe bool     `json:"safe"`
		IDs  []string `json:"ids"`
	} `json:"x-repeat"`
}

// schema is as much of a shape as methods show.
type schema struct {
	Ref        string            `json:"$ref"`
	Type       any               `json:"type"`
	Items      *schema           `json:"items"`
	Properties map[string]schema `json:"properties"`
	AnyOf      []schema          `json:"anyOf"`
	OneOf      []schema          `json:"oneOf"`
	Values     json.RawMessage   `json:"additionalProperties"`
}

// is reports whether values have the type, or may.
func (s schema) is(kind string) bool {
	if kinds, many := s.Type.([]any); many {
		return slices.Contains(kinds, any(kind))
	}
	return s.Type == kind
}

// list is the kind of a choice that is a list, of what is none itself.
func (s schema) list() schema {
	for _, kind := range slices.Concat(s.OneOf, s.AnyOf) {
		if kind.Items != nil {
			return kind
		}
	}
	return s
}

// page is the kind of a choice that has fields, of what is none itself.
func (s schema) page() schema {
	for _, kind := range s.OneOf {
		if len(kind.Properties) > 0 {
			return kind
		}
	}
	return s
}

// values is the shape of the values of a map; nil for what is none.
func (s schema) values() *schema {
	of := new(schema)
	if len(s.Properties) > 0 || json.Unmarshal(s.Values, of) != nil {
		return nil
	}
	return of
}

// name is that of the schema that is referred to; empty where none is.
func (s schema) name() string {
	return strings.TrimPrefix(s.Ref, "#/components/schemas/")
}

// resolve returns the schema itself, wherever it stands.
func (d *document) resolve(s schema) schema {
	if s.Ref != "" {
		return d.Components.Schemas[s.name()]
	}
	return s
}

// at returns the schema of a field, dotted, through the lists on the way.
func (d *document) at(s schema, path string) schema {
	for name := range strings.SplitSeq(path, ".") {
		s = d.resolve(s)
		if s.Items != nil {
			s = d.resolve(*s.Items)
		}
		s = s.page().Properties[name]
	}
	return s
}

// isWrapped reports whether a result is { status, message, data } and nothing else that a caller needs.
func (d *document) isWrapped(m method) bool {
	if _, continues := d.resolve(m.request()).Properties["pageToken"]; continues {
		return false
	}
	result := d.resolve(m.result())
	for name := range result.Properties {
		if !slices.Contains([]string{"status", "message", "data", "nextPageToken"}, name) {
			return false
		}
	}
	_, has := result.Properties["data"]
	return has
}

// data is the data of a result that is wrapped.
func (d *document) data(m method) schema {
	return d.resolve(m.result()).Properties["data"]
}

// answer is what a method returns: the data of a result that is wrapped, else the result.
func (d *document) answer(m method) schema {
	if d.isWrapped(m) {
		return d.data(m)
	}
	return m.result()
}

// method is an operation with its place among the resources.
type method struct {
	documented
	Path, Resource, Act string
}

func (m method) request() schema {
	return m.RequestBody.Content["application/json"].Schema.Properties["data"]
}

func (m method) result() schema {
	return m.Responses["200"].Content["application/json"].Schema.Properties["result"]
}

// IsWorkspace reports whether it is called with the credentials of the workspace.
func (m method) IsWorkspace() bool {
	for _, set := range m.Security {
		if _, is := set["workspaceId"]; is {
			return true
		}
	}
	return false
}

// methods are all operations with an envelope, sorted by their names.
func (d *document) methods() []method {
	var all []method
	for path, ways := range d.Paths {
		for _, o := range ways {
			if o.Repeat != nil { // what stands in no envelope has none
				resource, act, _ := strings.Cut(o.OperationID, ".")
				all = append(all, method{o, path, resource, act})
			}
		}
	}
	slices.SortFunc(all, func(a, b method) int { return cmp.Compare(a.OperationID, b.OperationID) })
	return all
}

// resources are the names of the resources, sorted.
func resources(methods []method) []string {
	names := map[string]bool{}
	for _, m := range methods {
		names[m.Resource] = true
	}
	return slices.Sorted(maps.Keys(names))
}

func readDocument(text []byte) (*document, error) {
	d := new(document)
	return d, json.Unmarshal(text, d)
}
