package api

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Every field that a request may have is shown with a value: in an example of its operation, or in one of its own.
func TestContractOfExamples(t *testing.T) {
	routes := operations()
	c := newContract(t, routes)
	for i := range routes {
		found, _, err := c.router.FindRoute(httptest.NewRequest(http.MethodPost, "http://127.0.0.1:8080"+routes[i].Path, nil))
		require.NoError(t, err)
		var shown []any
		for _, e := range routes[i].Examples {
			var value any
			require.NoError(t, json.Unmarshal(e.Data, &value))
			shown = append(shown, value)
		}
		data := found.Operation.RequestBody.Value.Content.Get("application/json").Schema.Value.Properties["data"]
		assertShown(t, routes[i].Path, data, shown)
	}
}

// assertShown wants a value for each field below a schema that has no fields itself; shown are values of the schema.
func assertShown(t *testing.T, where string, of *openapi3.SchemaRef, shown []any) {
	t.Helper()
	for _, kind := range kindsOf(of) {
		for name, field := range kind.Properties {
			values := append(fieldsOf(shown, name), examplesOf(t, where+"."+name, field)...)
			if hasFields(field) {
				assertShown(t, where+"."+name, field, values)
			} else {
				assert.NotEmpty(t, values, "%s.%s has no example", where, name)
			}
		}
		if kind.Items != nil {
			assertShown(t, where+"[]", kind.Items, itemsOf(shown))
		}
	}
}

// examplesOf are the examples that a field has itself, each of which it has to take.
func examplesOf(t *testing.T, where string, field *openapi3.SchemaRef) []any {
	t.Helper()
	var all []any
	for _, kind := range kindsOf(field) {
		all = append(all, kind.Examples...)
	}
	for _, one := range all {
		assert.NoError(t, field.Value.VisitJSON(one, openapi3.EnableJSONSchema2020(), openapi3.EnableFormatValidation()), where)
	}
	return all
}

// kindsOf are the schema and all that it may be instead.
func kindsOf(of *openapi3.SchemaRef) []*openapi3.Schema {
	kinds := []*openapi3.Schema{of.Value}
	for _, either := range slices.Concat(of.Value.AnyOf, of.Value.OneOf) {
		kinds = append(kinds, kindsOf(either)...)
	}
	return kinds
}

// hasFields reports whether a value, or one of its items, has fields that the document names.
func hasFields(of *openapi3.SchemaRef) bool {
	return slices.ContainsFunc(kindsOf(of), func(kind *openapi3.Schema) bool {
		return len(kind.Properties) > 0 || kind.Items != nil && hasFields(kind.Items)
	})
}

func fieldsOf(values []any, name string) []any {
	var all []any
	for _, value := range values {
		if fields, is := value.(map[string]any); is && fields[name] != nil {
			all = append(all, fields[name])
		}
	}
	return all
}

func itemsOf(values []any) []any {
	var all []any
	for _, value := range values {
		items, _ := value.([]any)
		all = append(all, items...)
	}
	return all
}
