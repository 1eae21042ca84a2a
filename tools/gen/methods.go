package main

import (
	"bytes"
	_ "embed"
	"strings"
	"text/template"
)

//go:embed typescript.tmpl
var typescriptTemplate string

// typescriptMethods returns the TypeScript client's methods, as goMethods does those of Go.
func typescriptMethods(text []byte) ([]byte, error) {
	return methodsBy(typescriptTemplate, text, true)
}

//go:embed python.tmpl
var pythonTemplate string

// pythonMethods returns the methods of the Python client that waits, or those of the one that
// is awaited.
func pythonMethods(awaited bool) func([]byte) ([]byte, error) {
	return func(text []byte) ([]byte, error) { return methodsBy(pythonTemplate, text, awaited) }
}

// committed are the operations whose repetition is refused where the first call was done, with
// what then reads the result out of what was sent.
var committed = map[string]string{
	"annotations.add": "addedAnnotations", "comments.add": "addedComments", "activities.add": "addedActivities",
}

// methodsBy writes all operations of a document by a template, awaited where the language knows
// both.
func methodsBy(text string, document []byte, awaited bool) ([]byte, error) {
	d, err := readDocument(document)
	if err != nil {
		return nil, err
	}
	methods := d.methods()
	shown, err := template.New("methods").Funcs(template.FuncMap{
		"name":      goName,
		"variable":  func(m method) string { return "op" + goName(m.Resource) + goName(m.Act) },
		"request":   func(m method) string { return goName(m.request().name()) },
		"whole":     func(m method) string { return goType(m.result()) },
		"data":      func(m method) string { return goType(d.data(m)) },
		"hasData":   d.isWrapped,
		"nothing":   func(m method) bool { return d.isWrapped(m) && goType(d.data(m)) == "*NoData" },
		"item":      func(m method) string { return goType(*d.at(m.result(), m.Pages.Items).list().Items) },
		"integer":   func(m method, id string) bool { return d.at(m.request(), id).is("integer") },
		"committed": func(m method) string { return committed[m.OperationID] },

		"snake": func(word string) string { return strings.ToLower(strings.ReplaceAll(splitWords(word), " ", "_")) },
		"constant": func(m method) string {
			return strings.ToUpper(strings.ReplaceAll(splitWords(m.Resource+" "+m.Act), " ", "_"))
		},
		"python":     func(m method) string { return pythonType(d.answer(m)) },
		"pythonItem": func(m method) string { return pythonType(*d.at(m.result(), m.Pages.Items).list().Items) },
	}).Parse(text)
	if err != nil {
		return nil, err
	}
	var made bytes.Buffer
	err = shown.Execute(&made, map[string]any{"Resources": resources(methods), "Methods": methods, "Async": awaited})
	return made.Bytes(), err
}

// pythonType is the type of a result in Python. A method is called list, so the type is named in full.
func pythonType(s schema) string {
	switch {
	case s.Ref != "":
		return "t." + s.name()
	case len(s.AnyOf) == 2 && s.AnyOf[1].Type == "null":
		return pythonType(s.AnyOf[0]) + " | None"
	case s.Items != nil:
		return "builtins.list[" + pythonType(*s.Items) + "]"
	case len(s.OneOf) > 0:
		return pythonType(s.list())
	case s.values() != nil:
		return "dict[str, " + pythonType(*s.values()) + "]"
	case s.is("integer"):
		return "int"
	case s.is("string") && s.Type != "string":
		return "str | None"
	case s.is("string"):
		return "str"
	default:
		return "Any"
	}
}
