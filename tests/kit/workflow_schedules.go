package kit

import (
	"maps"
)

// ClockTrigger returns a trigger that fires by the clock, with more settings.
func ClockTrigger(cron string, more map[string]any) map[string]any {
	settings := map[string]any{"cron": cron, "timezone": "Europe/Berlin", "enabled": true}
	maps.Copy(settings, more)
	return map[string]any{"triggerId": "clock", "schedule": settings}
}
