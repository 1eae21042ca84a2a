// Package shape reads a JSON value into a Go struct and checks it on the way,
// in one pass, reporting every fault instead of the first one.
//
// The rules come from the schema that huma makes of the struct's tags, so the
// published document and the checks cannot disagree. Compile walks type and
// schema once, when the routes are mounted; Read then needs no tags and no
// generic tree of maps. Names are case-sensitive, lengths are counted in code
// points, numbers in free-form objects keep their text. Check comes first and
// has jsontext find what is no JSON, so Read walks the text without looking for
// such faults.
//
// Tags understood beside huma's own: `notBlank:"true"` (white space counts as
// empty), `maxBytes:"n"` (size of a text, or of a free-form
// value written compactly) and
// `storable:"true"` (no text of a free-form value has a NUL or half a surrogate
// pair). Only is a value that may come in an array. A field of type Rest takes the keys that are no other field's, one of
// type Nulls the names of those that came as null.
//
// The package must not know HTTP, operations or the words of single fields:
// a rule between fields belongs to the request's Validate method.
package shape
