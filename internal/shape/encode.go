package shape

import (
	"bytes"
	"encoding/json"
)

// Encode writes a value as JSON without escaping what only matters inside HTML, so that
// texts come back as they were sent. It is for what always encodes: a value that does not
// gives null.
func Encode(v any) json.RawMessage {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return json.RawMessage("null")
	}
	return json.RawMessage(bytes.TrimSuffix(out.Bytes(), []byte("\n")))
}
