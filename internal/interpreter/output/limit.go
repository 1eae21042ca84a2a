package output

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"

	"github.com/redline-svc/redline/internal/shape"
)

// Limits of a step's output and of a step's input, in bytes of JSON.
const (
	Limit      = 64 << 10
	InputLimit = 256 << 10
)

// OrEmpty is an output as somebody reads it: a step that left nothing left an empty
// object.
func OrEmpty(output json.RawMessage) json.RawMessage {
	if len(output) == 0 {
		return json.RawMessage(`{}`)
	}
	return output
}

// Optional is a text that is null where it is empty.
func Optional(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// beside adds to what the service says the keys that somebody sent and that are not the
// service's own. All of them are kept: they were held to the limit when they came.
func beside(result, sent json.RawMessage, reserved []string) json.RawMessage {
	var own []shape.Pair
	taken := map[string]bool{}
	for _, name := range reserved {
		taken[name] = true
	}
	for _, m := range shape.MembersOf(sent) {
		if !taken[m.Name] {
			taken[m.Name], own = true, append(own, m)
		}
	}
	return shape.AppendMembers(result, own)
}

// Shorten makes values null, the largest first, until all have at most so many bytes.
func Shorten(values map[string]json.RawMessage, most int) {
	size := 0
	for _, value := range values {
		size += len(value)
	}
	for _, name := range slices.SortedFunc(maps.Keys(values), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(values[b]), len(values[a])), cmp.Compare(a, b))
	}) {
		if size <= most {
			return
		}
		size -= len(values[name])
		values[name] = nil
	}
}

// Members reads a JSON object; anything else has none.
func Members(object json.RawMessage) map[string]json.RawMessage {
	found := map[string]json.RawMessage{}
	_ = json.Unmarshal(object, &found)
	return found
}

// Joined is one object of several; of equal keys the last one counts.
func Joined(parts ...map[string]json.RawMessage) json.RawMessage {
	all := map[string]json.RawMessage{}
	for _, part := range parts {
		maps.Copy(all, part)
	}
	return shape.Encode(all)
}
