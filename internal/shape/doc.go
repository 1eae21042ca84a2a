// Package shape reads JSON strictly and reports every fault in it instead of the first one.
//
// Check comes first and has jsontext find what is no JSON, so all else walks the text
// without looking for such faults. Names are case-sensitive, lengths are counted in code
// points, numbers in free-form objects keep their text. There are two ways to read, over one
// scanner:
//
// A request is read into a Go struct in one pass (Shape). The rules come from the schema
// that huma makes of the struct's tags, so the published document and the checks cannot
// disagree. Compile walks type and schema once, when the routes are mounted; Read then needs
// no tags and no generic tree of maps. Tags understood beside huma's own: `notBlank:"true"`
// (white space counts as empty), `maxBytes:"n"` (size of a text, or of a free-form
// value written compactly), `storable:"true"` (no text of a free-form value has a NUL or
// half a surrogate pair), `selector:"true"` and `closed:"true"` (see Mode). Only is a value that may come in an array. A field of type Rest
// takes the keys that are no other field's, one of type Nulls the names of those that came
// as null.
//
// A document whose rules no struct can have is read part by part (Document):
//
//	r := &shape.Document{}
//	o := r.Object(shape.Part{Raw: text}, "name", "size")
//	name, ok := o.NeedText("name", shape.TextRule{Min: 1, Max: 200})
//	issues := r.Issues()
//
// A Part is a piece of the text, as it was written, with its position in the document and
// the path to it; Fields are an object with its members one by one. A member that is read
// says what it must be, and what is wrong with it becomes an issue while reading goes on: so
// one fault hides no other. Issues come in the order of the document, not in that in which
// they were found.
//
// The package must not know HTTP, operations, the words of single fields or what a document
// is about: a rule between fields belongs to the request's Validate method, or to who reads
// the document.
package shape
