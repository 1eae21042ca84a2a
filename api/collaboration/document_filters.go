package collaboration

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/models/directory"
)

// DocumentFilter is a condition on a top-level key of documents as they are sent. Only values
// of one JSON type compare, and one that is missing or null keeps to no condition.
type DocumentFilter struct {
	Key      string          `json:"key" minLength:"1" maxLength:"200" example:"pages" doc:"documentName, or one of the caller's own keys; metadata. before it has no effect"`
	Operator string          `json:"operator" enum:"==,!=,<,<=,>,>=,array-contains,in,not-in,array-contains-any" example:">"`
	Value    json.RawMessage `json:"value" example:"10" doc:"a string of at most 1500 characters, a number or a boolean; for in, not-in and array-contains-any 1 to 30 of these"`
}

// metadataPrefix may stand before a key.
const metadataPrefix = "metadata."

// Bounds of what conditions compare with.
const (
	maxCompared = 1500
	maxListed   = 30
)

// listed reports whether the operator compares with several values.
func (f *DocumentFilter) listed() bool {
	switch f.Operator {
	case directory.IsIn, directory.IsNotIn, directory.ArrayContainsAny:
		return true
	default:
		return false
	}
}

// values are what is compared with.
func (f *DocumentFilter) values() (values []json.RawMessage) {
	if !f.listed() {
		return []json.RawMessage{f.Value}
	}
	_ = json.Unmarshal(f.Value, &values) // anything but an array has none
	return values
}

func (f *DocumentFilter) check(at rpc.Issues) {
	at = at.At("value")
	switch values := f.values(); {
	case f.Value == nil || f.Operator == "":
	case f.listed() && f.Value[0] != '[':
		at.Add(shape.Type, "must be an array")
	case len(values) == 0 || len(values) > maxListed:
		at.Add(shape.Count, "must have 1 to 30 items")
	default:
		for i, value := range values {
			here := at
			if f.listed() {
				here = at.At(strconv.Itoa(i))
			}
			checkCompared(here, value)
		}
	}
}

// checkCompared wants a string, a number or a boolean.
func checkCompared(at rpc.Issues, value json.RawMessage) {
	var text string
	switch {
	case strings.ContainsAny(string(value[:1]), "{[n"):
		at.Add(shape.Type, "must be a string, a number or a boolean")
	case json.Unmarshal(value, &text) == nil && utf8.RuneCountInString(text) > maxCompared:
		at.Add(shape.Length, "must have at most 1500 characters")
	default:
	}
}

// checkFilters checks the conditions of a request.
func checkFilters(at rpc.Issues, filters []DocumentFilter) {
	for i := range filters {
		filters[i].check(at.At(strconv.Itoa(i)))
	}
}

func conditionsOf(filters []DocumentFilter) []directory.Condition {
	return rpc.Each(filters, func(f DocumentFilter) directory.Condition {
		return directory.Condition{Key: strings.TrimPrefix(f.Key, metadataPrefix), Operator: f.Operator, Values: f.values()}
	})
}
