package kit

import (
	"maps"
)

func Merged(data map[string]any, more ...map[string]any) map[string]any {
	for _, fields := range more {
		maps.Copy(data, fields)
	}
	return data
}
