package main

import (
	"bytes"
	_ "embed"
	"go/format"
	"strings"
	"text/template"
)

//go:embed golang.tmpl
var goTemplate string

// goMethods returns the Go client's methods: a type for each resource, a method for each
// operation, and beside each list that pages one that walks over all of it.
func goMethods(text []byte) ([]byte, error) {
	d, err := readDocument(text)
	if err != nil {
		return nil, err
	}
	methods := d.methods()
	shown, err := template.New("go").Funcs(template.FuncMap{
		"name":     goName,
		"variable": func(m method) string { return "op" + goName(m.Resource) + goName(m.Act) },
		"request":  func(m method) string { return goName(m.request().name()) },
		"whole":    func(m method) string { return goType(m.result()) },
		"data":     func(m method) string { return goType(d.data(m)) },
		"hasData":  d.isWrapped,
		"nothing":  func(m method) bool { return d.isWrapped(m) && goType(d.data(m)) == "*NoData" },
		"item":     func(m method) string { return goType(*d.at(m.result(), m.Pages.Items).list().Items) },
		"integer":  func(m method, id string) bool { return d.at(m.request(), id).is("integer") },
	}).Parse(goTemplate)
	if err != nil {
		return nil, err
	}
	var made bytes.Buffer
	if err := shown.Execute(&made, map[string]any{"Resources": resources(methods), "Methods": methods}); err != nil {
		return nil, err
	}
	return format.Source(made.Bytes())
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
		return "json.RawMessage"
	}
}
