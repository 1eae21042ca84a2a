package shape

import (
	"encoding/json"
	"strconv"
	"strings"
)

// At is the value at the end of a path into a JSON text: keys of objects, spelt exactly,
// and positions of arrays, with dots between them. Nil where there is none. Numbers and
// spelling stay as they were.
func At(text json.RawMessage, path string) json.RawMessage {
	for key := range strings.SplitSeq(path, ".") {
		if text = member(text, key); text == nil {
			return nil
		}
	}
	return text
}

func member(text json.RawMessage, key string) json.RawMessage {
	var elements []json.RawMessage
	if json.Unmarshal(text, &elements) != nil {
		return Value(text, key)
	}
	if i, err := strconv.Atoi(key); err == nil && i >= 0 && i < len(elements) {
		return elements[i]
	}
	return nil
}
