// Package strict reads a JSON document strictly and reports every fault in it.
//
//	r := &strict.Reader{}
//	o := r.Object(strict.Value{Raw: text}, "name", "size")
//	name, ok := o.NeedText("name", strict.TextRule{Min: 1, Max: 200})
//	issues := r.Issues()
//
// A Value is a piece of the text, as it was written, with its position in the document
// and the path to it; an Object has its members one by one. A member that is read says
// what it must be, and what is wrong with it becomes an issue while reading goes on: so
// one fault hides no other. Issues come in the order of the document, not in that in
// which they were found. A key given as null counts as absent, and of a key given twice
// the first one counts.
//
// jsontext splits a text into its parts and decodes none of them. The text must be JSON,
// which the caller checks. What a document is about, and rules between its members, are
// not known here.
package strict
