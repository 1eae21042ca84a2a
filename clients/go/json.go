package redline

import (
	"bytes"
	"encoding/json"
)

// JSON is a free-form value of an answer as it was written, its numbers exact; nil where it was
// absent or null. It is written again as it is.
type JSON []byte

// Decode reads the value into what into points to, which stays as it is where there is none.
func (j JSON) Decode(into any) error {
	if j == nil {
		return nil
	}
	return json.Unmarshal(j, into)
}

// String is the text of the value, empty where there is none.
func (j JSON) String() string { return string(j) }

// MarshalJSON writes the value, null where there is none.
func (j JSON) MarshalJSON() ([]byte, error) { return json.RawMessage(j).MarshalJSON() }

// UnmarshalJSON keeps a copy of the text.
func (j *JSON) UnmarshalJSON(text []byte) error {
	*j = nil
	if string(text) != "null" {
		*j = bytes.Clone(text)
	}
	return nil
}
