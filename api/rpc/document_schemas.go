package rpc

import (
	"encoding/json"
	"regexp"

	"github.com/danielgtaylor/huma/v2"
)

// schemaPrefix is before a schema's name where something refers to it.
const schemaPrefix = "#/components/schemas/"

var schemaRef = regexp.MustCompile(`"` + schemaPrefix + `([^"]+)"`)

// referredSchemas are those schemas of a registry that a document refers to: the registry has
// more, of parts that a shape was put together from.
type referredSchemas struct {
	huma.Registry
	referred map[string]*huma.Schema
}

// referredFrom returns the schemas that a part of the document refers to, with those that they
// refer to themselves.
func referredFrom(part any, all huma.Registry) (*referredSchemas, error) {
	r := &referredSchemas{all, map[string]*huma.Schema{}}
	return r, r.follow(part)
}

func (r *referredSchemas) follow(part any) error {
	text, err := json.Marshal(part)
	if err != nil {
		return err
	}
	for _, found := range schemaRef.FindAllSubmatch(text, -1) {
		name := string(found[1])
		if r.referred[name] != nil {
			continue
		}
		r.referred[name] = r.Registry.Map()[name]
		if err := r.follow(r.referred[name]); err != nil {
			return err
		}
	}
	return nil
}

// MarshalJSON writes the schemas that are referred to.
func (r *referredSchemas) MarshalJSON() ([]byte, error) { return json.Marshal(r.referred) }
