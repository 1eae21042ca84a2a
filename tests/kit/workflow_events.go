package kit

import (
	"encoding/json"
)

func OrNull(data json.RawMessage) string {
	if len(data) == 0 {
		return "null"
	}
	return string(data)
}
