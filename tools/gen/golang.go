package main

import (
	_ "embed"
	"go/format"
	"strings"
)

//go:embed golang.tmpl
var goTemplate string

// goMethods returns the Go client's methods: a type for each resource, a method for each
// operation, and beside each list that pages one that walks over all of it.
func goMethods(text []byte) ([]byte, error) {
	made, err := methodsBy(goTemplate, text, false)
	if err != nil {
		return nil, err
	}
	return format.Source(made)
}

// initialisms are written in capitals, as the types are.
var initialisms = map[string]string{"Api": "API", "Url": "URL", "Id": "ID"}

// goName is a word of the document as an exported name.
func goName(word string) string {
	var name strings.Builder
	for part := range strings.SplitSeq(splitWords(word), " ") {
		part = strings.ToUpper(part[:1]) + part[1:]
		if capitals, is := initialisms[part]; is {
			part = capitals
		}
		name.WriteString(part)
	}
	return name.String()
}

// splitWords puts a space before each capital that begins a word.
func splitWords(word string) string {
	var split strings.Builder
	for i, r := range word {
		if i > 0 && r >= 'A' && r <= 'Z' && word[i-1] >= 'a' && word[i-1] <= 'z' {
			split.WriteByte(' ')
		}
		split.WriteRune(r)
	}
	return split.String()
}

// goType is the type of a result.
func goType(s schema) string {
	switch {
	case s.Ref != "":
		return goName(s.name())
	case len(s.AnyOf) == 2 && s.AnyOf[1].Type == "null":
		return "*" + goType(s.AnyOf[0])
	case s.Items != nil:
		return "[]" + goType(*s.Items)
	case len(s.OneOf) > 0:
		return goType(s.list())
	case s.values() != nil:
		return "map[string]" + goType(*s.values())
	case s.is("integer"):
		return "int64"
	case s.is("string") && s.Type != "string":
		return "*string"
	case s.is("string"):
		return "string"
	default:
		return "JSON"
	}
}
