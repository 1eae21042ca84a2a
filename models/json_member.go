package models

import (
	"encoding/json"

	"github.com/redline-svc/redline/internal/shape"
)

// memberOf is the value of one name of an object, exactly as it is spelt; nil
// where there is none. The decoder of the standard library would take a name in
// any case for it.
func memberOf(object json.RawMessage, name string) json.RawMessage {
	for _, pair := range shape.MembersOf(object) {
		if pair.Name == name {
			return pair.Value
		}
	}
	return nil
}

// textOf is a member that is a text; empty where it is anything else.
func textOf(object json.RawMessage, name string) string {
	var text string
	if json.Unmarshal(memberOf(object, name), &text) != nil {
		return ""
	}
	return text
}
