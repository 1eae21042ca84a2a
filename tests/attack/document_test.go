package attack

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit"
)

// object is a JSON object, of a schema or of a request.
type object = map[string]any

// operation is one that the document lists.
type operation struct {
	path, method string
	// schema is that of the body, examples are bodies; both nil where there is none in JSON.
	schema   object
	examples []any
	// query are the names of what stands in the address.
	query []string
}

// document is what requests are made from.
type document struct {
	operations []operation
	schemas    object
}

// published reads the document of the service.
func published(env *kit.Env) *document {
	env.T.Helper()
	reply, err := env.Keyed.Do(env.Ctx, "GET", "/v2/openapi.json", nil, nil)
	require.NoError(env.T, err)
	return read(env.T, reply.Body)
}

func read(t *testing.T, text []byte) *document {
	t.Helper()
	var from struct {
		Paths map[string]map[string]struct {
			Parameters  []struct{ In, Name string }
			RequestBody struct {
				Content map[string]struct {
					Schema   object
					Examples map[string]struct{ Value any }
				}
			}
		}
		Components struct{ Schemas object }
	}
	require.NoError(t, json.Unmarshal(text, &from))
	d := &document{schemas: from.Components.Schemas}
	for path, methods := range from.Paths {
		for method, described := range methods {
			o := operation{path: path, method: strings.ToUpper(method), schema: described.RequestBody.Content["application/json"].Schema}
			for _, example := range described.RequestBody.Content["application/json"].Examples {
				o.examples = append(o.examples, example.Value)
			}
			for _, parameter := range described.Parameters {
				if parameter.In == "query" {
					o.query = append(o.query, parameter.Name)
				}
			}
			d.operations = append(d.operations, o)
		}
	}
	slices.SortFunc(d.operations, func(a, b operation) int { return strings.Compare(a.path+a.method, b.path+b.method) })
	return d
}

// resolved is the schema itself, wherever it stands.
func (d *document) resolved(schema object) object {
	for {
		reference, is := schema["$ref"].(string)
		if !is {
			return schema
		}
		schema, _ = d.schemas[strings.TrimPrefix(reference, "#/components/schemas/")].(object)
	}
}
