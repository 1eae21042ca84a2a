package collaboration

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/redline-svc/redline/internal/shape"
)

// appendOwn writes an object of ours with the caller's own keys behind its fields.
func appendOwn(fields any, own []shape.Pair) ([]byte, error) {
	text, err := json.Marshal(fields)
	return shape.AppendMembers(text, own), err
}

// ownKeys are the members that are no field of T. A caller may send back what was
// read: the service's own fields do not become keys of the caller's.
func ownKeys[T any](members []shape.Pair) []shape.Pair {
	var names []string
	for _, f := range reflect.VisibleFields(reflect.TypeFor[T]()) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "-" {
			names = append(names, name)
		}
	}
	return slices.DeleteFunc(slices.Clone(members), func(m shape.Pair) bool { return slices.Contains(names, m.Name) })
}
