package shape

import "encoding/json"

// Value is the value of one name of an object, exactly as it is spelt; nil where
// there is none. The decoder of the standard library would take a name in any
// case for it.
func Value(object json.RawMessage, name string) json.RawMessage {
	for _, pair := range MembersOf(object) {
		if pair.Name == name {
			return pair.Value
		}
	}
	return nil
}

// Text is a value of an object that is a text; empty where it is anything else.
func Text(object json.RawMessage, name string) string {
	var text string
	if json.Unmarshal(Value(object, name), &text) != nil {
		return ""
	}
	return text
}
