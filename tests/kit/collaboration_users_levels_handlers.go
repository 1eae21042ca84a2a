package kit

import (
	"maps"
)

// Acme is a level of the organization, or the organization itself, with users.
func Acme(level map[string]any, users ...map[string]any) map[string]any {
	data := map[string]any{"organizationId": "acme", "users": users}
	maps.Copy(data, level)
	return data
}
