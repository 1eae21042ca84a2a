package kit

import (
	"maps"
)

// Merged puts more fields into data, the last ones over the earlier, and returns data.
func Merged(data map[string]any, more ...map[string]any) map[string]any {
	for _, fields := range more {
		maps.Copy(data, fields)
	}
	return data
}
