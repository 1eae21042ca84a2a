package output

import (
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
	for _, m := range shape.MembersOf(sent) {
		known := func(p shape.Pair) bool { return p.Name == m.Name }
		if !slices.Contains(reserved, m.Name) && !slices.ContainsFunc(own, known) {
			own = append(own, m)
		}
	}
	return shape.AppendMembers(result, own)
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
