package main

import (
	"bytes"
	"maps"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/telemetry"
)

// root is the root of the project, from here.
const root = "../../"

func TestTheClientsAreMadeFromTheDocumentThatIsPublished(t *testing.T) {
	document, err := published()
	require.NoError(t, err)
	kept, err := os.ReadFile(root + documentFile)
	require.NoError(t, err)
	require.True(t, bytes.Equal(document, kept), "%s differs from what is published: make clients", documentFile)
	for file, word := range map[string]string{
		"clients/go/operations.gen.go": "go", "clients/typescript/src/operations.ts": "typescript",
		"clients/python/src/redline/_operations.py": "python", "clients/python/src/redline/_operations_async.py": "python-async",
	} {
		want, err := printed[word](document)
		require.NoError(t, err)
		kept, err := os.ReadFile(root + file)
		require.NoError(t, err)
		require.True(t, bytes.Equal(want, kept), "%s differs from the document: make clients", file)
	}
}

func TestTheVersionIsThatOfAllOfIt(t *testing.T) {
	heading := "\n## " + telemetry.Release + "\n"
	for file, line := range map[string]string{
		"CHANGELOG.md": heading, "clients/go/CHANGELOG.md": heading, "clients/python/CHANGELOG.md": heading, "clients/typescript/CHANGELOG.md": heading,
		"clients/typescript/package.json": `"version": "` + telemetry.Release + `"`, "clients/typescript/package-lock.json": `"version": "` + telemetry.Release + `"`,
		"clients/python/pyproject.toml": `version = "` + telemetry.Release + `"`,
	} {
		text, err := os.ReadFile(root + file)
		require.NoError(t, err)
		require.Contains(t, string(text), line, file)
	}
}

func TestSimplify(t *testing.T) {
	for _, one := range []struct {
		name         string
		schema, want object
	}{
		{"ignored keys", object{"type": "object", "properties": object{"a": object{}}, "additionalProperties": true}, object{"type": "object", "properties": object{"a": object{}}}},
		{
			"own keys",
			object{"properties": object{"a": object{}}, "additionalProperties": true, "x-own-keys": true},
			object{"properties": object{"a": object{}}, "additionalProperties": object{"x-go-type": "any"}, "x-own-keys": true},
		},
		{"a free object", object{"type": "object", "additionalProperties": true}, object{"type": "object", "additionalProperties": true}},
		{"a list or a map", object{"oneOf": []any{object{"type": "array"}, object{"type": "object"}}}, object{"type": "array"}},
		{"a text or a number", object{"oneOf": []any{object{"type": "string"}, object{"type": "integer"}}, "description": "when"}, object{"description": "when"}},
		{
			"words in capitals",
			object{"type": "string", "enum": []any{"NOT_FOUND", "ABORTED", nil}},
			object{"type": "string", "enum": []any{"NOT_FOUND", "ABORTED"}, "x-enum-varnames": []any{"NotFound", "Aborted"}},
		},
		{"words in small letters", object{"type": "string", "enum": []any{"a", "B"}}, object{"type": "string", "enum": []any{"a", "B"}}},
		{"a number that may be null", object{"type": []any{"integer", "null"}}, object{"type": []any{"integer", "null"}, "format": "int64"}},
	} {
		t.Run(one.name, func(t *testing.T) {
			simplify(one.schema)
			require.Equal(t, one.want, one.schema)
		})
	}
}

func TestEase(t *testing.T) {
	const plain = "x-go-type-skip-optional-pointer"
	free, list, word, null := object{"type": "object"}, object{"type": "array"}, object{"type": "string"}, object{"type": []any{"string", "null"}}
	schema := func() object {
		return object{"properties": object{
			"free": maps.Clone(free), "list": maps.Clone(list), "needed": maps.Clone(list), "word": maps.Clone(word), "null": maps.Clone(null),
		}, "required": []any{"needed"}}
	}
	sent, read := schema(), schema()
	ease(sent, true)
	ease(read, false)
	require.Equal(t, object{
		"free": object{"type": "object", "x-go-type": "any", plain: true}, "needed": object{"type": "array", plain: true},
		"list": object{"type": "array", plain: true, "x-omitempty": false, "x-omitzero": true}, "word": word, "null": null,
	}, sent["properties"])
	require.Equal(t, object{
		"free": object{"type": "object", "x-go-type": "JSON", plain: true}, "needed": object{"type": "array", plain: true},
		"list": object{"type": "array", plain: true}, "word": object{"type": "string", plain: true}, "null": null,
	}, read["properties"])
	require.Equal(t, map[string]bool{"A": true, "B": true}, sentSchemas(
		object{"/v2/a": object{"post": object{"requestBody": object{"$ref": "#/components/schemas/A"}, "responses": object{"$ref": "#/components/schemas/C"}}}},
		object{"A": object{"$ref": "#/components/schemas/B"}, "B": object{}, "C": object{}},
	))
}

func TestGoName(t *testing.T) {
	for word, want := range map[string]string{"apiKeys": "APIKeys", "uploadUrl": "UploadURL", "getCountV1": "GetCountV1", "MigrationIDResult": "MigrationIDResult"} {
		require.Equal(t, want, goName(word))
	}
}

// Shapes that are one of several are compared by names, below which they may grow.
func TestComparable(t *testing.T) {
	text, err := stripped([]byte(`{"paths":{"/a":{"examples":{"one":1}}},"components":{"schemas":{"Page":{"properties":{"data":{"oneOf":[
		{"items":{"$ref":"#/components/schemas/Item"},"type":"array"},{"type":"null"}]}}}}}}`))
	require.NoError(t, err)
	require.JSONEq(t, `{"paths":{"/a":{}},"components":{"schemas":{
		"Page":{"properties":{"data":{"oneOf":[{"$ref":"#/components/schemas/Page.properties.data.oneOf.0"},{"type":"null"}]}}},
		"Page.properties.data.oneOf.0":{"items":{"$ref":"#/components/schemas/Item"},"type":"array"}}}}`, string(text))
}
