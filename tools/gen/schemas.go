package main

import (
	"encoding/json"
	"maps"
	"slices"
)

// object is a JSON object of the document.
type object = map[string]any

// schemas returns the document without its paths, its schemas simplified.
func schemas(text []byte) ([]byte, error) {
	var document object
	if err := json.Unmarshal(text, &document); err != nil {
		return nil, err
	}
	document["paths"] = object{}
	components, _ := document["components"].(object)
	delete(components, "securitySchemes")
	simplify(components["schemas"])
	return json.Marshal(document)
}

// simplify rewrites, everywhere below of, what oapi-codegen would make types of that are hard
// to use: a choice becomes its richest kind, a number or a text any value, and an object that
// says its fields takes no others but the caller's own.
func simplify(of any) {
	switch of := of.(type) {
	case []any:
		for _, one := range of {
			simplify(one)
		}
	case object:
		choose(of)
		if of["x-own-keys"] == true {
			of["additionalProperties"] = object{"x-go-type": "json.RawMessage"}
		} else if fields, _ := of["properties"].(object); len(fields) > 0 && of["additionalProperties"] == true {
			delete(of, "additionalProperties")
		}
		narrow(of)
		for _, one := range of {
			simplify(one)
		}
	}
}

// narrow says how wide a number is, and leaves null out of words: a field that may be null is a pointer.
func narrow(of object) {
	if words, is := of["enum"].([]any); is {
		of["enum"] = slices.DeleteFunc(words, func(word any) bool { return word == nil })
	}
	delete(of, "format")
	kind := of["type"]
	if kinds, _ := kind.([]any); len(kinds) > 0 {
		kind = kinds[0]
	}
	switch kind {
	case "integer":
		of["format"] = "int64"
	case "number":
		of["format"] = "double"
	}
}

// choose replaces the oneOf of a schema by the first of its kinds that is a thing or a list;
// where there is none, any value is taken.
func choose(of object) {
	kinds, is := of["oneOf"].([]any)
	if !is {
		return
	}
	delete(of, "oneOf")
	for _, one := range kinds {
		kind, _ := one.(object)
		if kind["$ref"] != nil || kind["type"] == "array" {
			maps.Copy(of, kind)
			return
		}
	}
}
