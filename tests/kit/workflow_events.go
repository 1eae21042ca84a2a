package kit

import (
	"encoding/json"
)

// OrNull returns the JSON as text, null where there is none.
func OrNull(data json.RawMessage) string {
	if len(data) == 0 {
		return "null"
	}
	return string(data)
}
