package main

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// object is a JSON object of the document.
type object = map[string]any

// schemas returns the document without its paths, its schemas simplified.
func schemas(text []byte) ([]byte, error) {
	var document object
	if err := json.Unmarshal(text, &document); err != nil {
		return nil, err
	}
	components, _ := document["components"].(object)
	named, _ := components["schemas"].(object)
	sent := sentSchemas(document["paths"], named)
	document["paths"] = object{}
	delete(components, "securitySchemes")
	simplify(named)
	for name, schema := range named {
		ease(schema, sent[name])
	}
	return json.Marshal(document)
}

// sentSchemas are the names of those that requests consist of.
func sentSchemas(paths any, named object) map[string]bool {
	sent := map[string]bool{}
	var note func(of any)
	note = func(of any) {
		switch of := of.(type) {
		case []any:
			for _, one := range of {
				note(one)
			}
		case object:
			ref, _ := of["$ref"].(string)
			if name := (schema{Ref: ref}).name(); name != "" && !sent[name] {
				sent[name] = true
				note(named[name])
			}
			for _, one := range of {
				note(one)
			}
		}
	}
	ways, _ := paths.(object)
	for _, way := range ways {
		operations, _ := way.(object)
		for _, one := range operations {
			operation, _ := one.(object)
			note(operation["requestBody"])
		}
	}
	return sent
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
			of["additionalProperties"] = object{"x-go-type": "any"}
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
		words = slices.DeleteFunc(words, func(word any) bool { return word == nil })
		of["enum"] = words
		if names := capitals(words); len(names) > 0 {
			of["x-enum-varnames"] = names
		}
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

// capitals are the names of words that are written in capitals, as any other name is: NotFound of
// NOT_FOUND; none where one of them is written in another way.
func capitals(words []any) (names []any) {
	for _, one := range words {
		word, _ := one.(string)
		if strings.Trim(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") != "" || word == "" {
			return nil
		}
		var name strings.Builder
		for part := range strings.SplitSeq(word, "_") {
			name.WriteString(part[:1] + strings.ToLower(part[1:]))
		}
		names = append(names, name.String())
	}
	return names
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

// ease says of each field below a simplified schema which type is easiest to use. Free-form JSON
// is any value where it is sent and JSON where it is read; a list or a map needs no pointer,
// since nil is not sent; neither does a word or a number that is read, unless it may be null.
func ease(of any, sent bool) {
	schema, is := of.(object)
	if !is {
		return
	}
	required, _ := schema["required"].([]any)
	fields, _ := schema["properties"].(object)
	for name, one := range fields {
		field, _ := one.(object)
		ease(field, sent)
		easeField(field, sent, slices.Contains(required, any(name)))
	}
	for _, each := range []string{"items", "additionalProperties"} {
		if values, _ := schema[each].(object); values != nil {
			easeField(values, sent, true)
			ease(values, sent)
		}
	}
}

func easeField(field object, sent, required bool) {
	const plain = "x-go-type-skip-optional-pointer"
	switch kind, null := kindOf(field); {
	case isFree(field):
		field["x-go-type"], field[plain] = map[bool]string{true: "any", false: "JSON"}[sent], true
	case kind == "array" || kind == "object" && field["additionalProperties"] != nil && field["properties"] == nil:
		field[plain] = true
		if sent && !required {
			field["x-omitempty"], field["x-omitzero"] = false, true // an empty one says something
		}
	case !sent && !null && kind != "" && kind != "object":
		field[plain] = true
	}
}

// isFree reports whether a field is any value, or any object.
func isFree(field object) bool {
	switch kind, _ := kindOf(field); kind {
	case "":
		kinds, _ := field["anyOf"].([]any)
		narrow := slices.ContainsFunc(kinds, func(kind any) bool { return kind.(object)["$ref"] != nil || kind.(object)["type"] == "array" })
		return field["$ref"] == nil && field["enum"] == nil && !narrow
	case "object":
		_, typed := field["additionalProperties"].(object)
		return !typed && field["properties"] == nil
	default:
		return false
	}
}

// kindOf returns the type of a field, empty where it has none, and whether it may be null.
func kindOf(field object) (kind string, null bool) {
	kinds, many := field["type"].([]any)
	if !many {
		kind, _ = field["type"].(string)
		return kind, false
	}
	kind, _ = kinds[0].(string)
	return kind, slices.Contains(kinds, any("null"))
}
